// Package tokens counts tokens exactly, by the byte-pair encodings of tiktoken. An
// encoding takes a tenth of a second to load, so it is loaded once, in the background,
// and only the daemon links it.
package tokens

import (
	"fmt"
	"sync"

	"github.com/pkoukk/tiktoken-go"
)

// Counter counts by one encoding. It is safe for concurrent use.
type Counter struct {
	encoding string
	load     func() *vocabulary
}

// loads are shared by all counters of an encoding.
var loads = map[string]func() *vocabulary{
	tiktoken.MODEL_O200K_BASE:  loadOnce(tiktoken.MODEL_O200K_BASE),
	tiktoken.MODEL_CL100K_BASE: loadOnce(tiktoken.MODEL_CL100K_BASE),
}

func loadOnce(encoding string) func() *vocabulary {
	return sync.OnceValue(func() *vocabulary {
		v, err := loadVocabulary(encoding)
		if err != nil { // the tables are compiled into the program
			panic(fmt.Sprintf("load token encoding %s: %v", encoding, err))
		}
		return v
	})
}

// New starts to load an encoding (o200k_base or cl100k_base), unless the process
// has it, and returns at once; the first Count waits until it is loaded. An
// unknown name is an error.
func New(encoding string) (*Counter, error) {
	load, isKnown := loads[encoding]
	if !isKnown {
		return nil, fmt.Errorf("token encoding %q: only o200k_base and cl100k_base are built in", encoding)
	}
	go load()
	return &Counter{encoding: encoding, load: load}, nil
}

// Count is the number of tokens of text; special tokens count as the text they
// are written with.
func (c *Counter) Count(text string) int { return c.load().count(text) }

// Encoding names the encoding.
func (c *Counter) Encoding() string { return c.encoding }
