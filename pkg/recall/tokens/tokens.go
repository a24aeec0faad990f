// Package tokens counts tokens exactly, by the byte-pair encoding o200k_base of tiktoken. Loading the encoding takes
// a tenth of a second, so it is loaded once, in the background. Only the daemon links this package.
package tokens

import (
	"fmt"
	"sync"
)

// Counter counts tokens. It is safe for concurrent use.
type Counter struct{}

// load loads the vocabulary once for all counters.
var load = sync.OnceValue(func() *vocabulary {
	v, err := loadVocabulary()
	if err != nil { // cannot happen: the table is compiled into the program
		panic(fmt.Sprintf("load token encoding %s: %v", encoding, err))
	}
	return v
})

// New returns a counter and starts to load the encoding in the background; the first Count waits until it is loaded.
func New() Counter {
	go load()
	return Counter{}
}

// Count returns the number of tokens of text. A special token in it counts as ordinary text.
func (Counter) Count(text string) int { return load().count(text) }

func (Counter) Encoding() string { return encoding }
