// Package tokens counts tokens exactly, by the byte-pair encoding o200k_base of tiktoken. Loading the encoding takes
// a tenth of a second, so it is loaded once, in the background. Only the daemon links this package.
package tokens

import (
	"bytes"
	_ "embed" // the packed table
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
)

// Counter counts tokens. It is safe for concurrent use.
type Counter struct{}

// load loads the vocabulary once for all counters. It replaces the library's global loader, so that the library downloads nothing.
var load = sync.OnceValue(func() *vocabulary {
	var table builtIn
	tiktoken.SetBpeLoader(&table)
	coder, err := tiktoken.GetEncoding(encoding)
	if err != nil { // cannot happen: the table is compiled into the program
		panic(fmt.Sprintf("load token encoding %s: %v", encoding, err))
	}
	table.vocabulary.coder = coder
	return table.vocabulary
})

// New returns a counter and starts to load the encoding in the background; the first Count waits until it is loaded.
func New() Counter {
	go load()
	return Counter{}
}

// Count returns the number of tokens of text. A special token in it counts as ordinary text.
func (Counter) Count(text string) int { return load().count(text) }

func (Counter) Encoding() string { return encoding }

// packed holds the table of tiktoken-go-loader in a third of its size: go test ./pkg/recall/tokens -update makes it.
//
//go:embed o200k_base.gz
var packed []byte

// vocabulary counts tokens by tiktoken with a map of only a few tokens, and caches the counts of words. The library
// looks up only parts of the text that it encodes, so the map needs only the tokens that occur in this text.
type vocabulary struct {
	all *table

	mu      sync.Mutex
	coder   *tiktoken.Tiktoken
	held    map[string]int // rank of each token in use, shared with coder; always has the single bytes
	counted map[string]int // cached counts by word
}

const (
	// mostHeld is the maximum number of cached tokens, and of cached words. Each cache takes about 0.3 MB.
	mostHeld = 8 << 10
	// longestWord is the maximum number of bytes of a word whose count is cached.
	longestWord = 32
)

func (v *vocabulary) count(text string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := 0
	for text != "" {
		end := wordEnd(text)
		n += v.countWord(text[:end])
		text = text[end:]
	}
	return n
}

// wordEnd returns the end of the first part of a text that can be counted alone, so that its count and that
// of the rest add up. The encoding always splits a text between a visible character and a following blank.
func wordEnd(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == ' ' && text[i-1] > ' ' && text[i-1] < utf8.RuneSelf-1 {
			return i
		}
	}
	return len(text)
}

func (v *vocabulary) countWord(word string) int {
	if n, known := v.counted[word]; known {
		return n
	}
	n := v.encode(word)
	if len(word) <= longestWord {
		if len(v.counted) >= mostHeld {
			clear(v.counted)
		}
		v.counted[strings.Clone(word)] = n
	}
	return n
}

// encode returns the number of tokens of a word, counted by the library.
func (v *vocabulary) encode(word string) int {
	if !utf8.ValidString(word) {
		word = string([]rune(word)) // invalid UTF-8 replaced, as the library does
	}
	if len(v.held) >= mostHeld {
		clear(v.held)
		v.holdBytes()
	}
	for at := range len(word) {
		v.all.hold(word[at:], v.held)
	}
	return len(v.coder.EncodeOrdinary(word))
}

// holdBytes adds the tokens of single bytes, into which every text can be split.
func (v *vocabulary) holdBytes() {
	for b := range 256 {
		v.all.hold(string([]byte{byte(b)}), v.held)
	}
}

// builtIn gives the library the table that is compiled into this program.
type builtIn struct{ vocabulary *vocabulary }

// LoadTiktokenBpe implements tiktoken.BpeLoader. The library looks tokens up in the map, which later changes with the texts.
func (b *builtIn) LoadTiktokenBpe(string) (map[string]int, error) {
	all, err := readTable(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	b.vocabulary = &vocabulary{all: all, held: map[string]int{}, counted: map[string]int{}}
	b.vocabulary.holdBytes()
	return b.vocabulary.held, nil
}

// encoding is the only encoding. Anthropic publishes none for its models, so no other encoding would be more exact.
const encoding = tiktoken.MODEL_O200K_BASE
