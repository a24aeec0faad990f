package briefing

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// maxCounted bounds the lines whose counts are cached: those that a few projects offer
// for a start, some 200 bytes each.
const maxCounted = 4096

// counting is a Counter that counts a line once: a start offers the same hundreds of
// lines each time, and counting one takes about 0.1 ms.
type counting struct {
	tokens.Counter
	held *lru.Cache[counted, int]
}

// counted is a text under an encoding.
type counted struct{ encoding, text string }

func newCounting(c tokens.Counter) counting { return counting{c, bounded[counted, int](maxCounted)} }

// Count implements tokens.Counter.
func (c counting) Count(text string) int {
	key := counted{c.Encoding(), text}
	n, isHeld := c.held.Get(key)
	if !isHeld {
		n = c.Counter.Count(text)
		c.held.Add(key, n)
	}
	return n
}
