// Package tokens counts tokens exactly, by the byte-pair encodings of tiktoken. Loading an encoding takes a tenth of
// a second, so it happens once, in the background. Only the daemon links this package.
package tokens

import (
	"fmt"
	"sync"

	"github.com/pkoukk/tiktoken-go"
)

// Counter counts tokens by one encoding. It is safe for concurrent use.
type Counter struct {
	encoding string
	load     func() *vocabulary
}

// loads maps each encoding to the function that loads it once for all counters.
var loads = map[string]func() *vocabulary{
	tiktoken.MODEL_O200K_BASE:  loadOnce(tiktoken.MODEL_O200K_BASE),
	tiktoken.MODEL_CL100K_BASE: loadOnce(tiktoken.MODEL_CL100K_BASE),
}

func loadOnce(encoding string) func() *vocabulary {
	return sync.OnceValue(func() *vocabulary {
		v, err := loadVocabulary(encoding)
		if err != nil { // cannot happen: the tables are compiled into the program
			panic(fmt.Sprintf("load token encoding %s: %v", encoding, err))
		}
		return v
	})
}

// New returns a counter for an encoding (o200k_base or cl100k_base) and starts to load the encoding in the
// background; the first Count waits until it is loaded. It fails for other names.
func New(encoding string) (*Counter, error) {
	load, isKnown := loads[encoding]
	if !isKnown {
		return nil, fmt.Errorf("token encoding %q: only o200k_base and cl100k_base are built in", encoding)
	}
	go load()
	return &Counter{encoding: encoding, load: load}, nil
}

// Count returns the number of tokens of text. A special token in it counts as ordinary text.
func (c *Counter) Count(text string) int { return c.load().count(text) }

// Encoding returns the name of the encoding.
func (c *Counter) Encoding() string { return c.encoding }
