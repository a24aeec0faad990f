package tokens

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
)

// packed holds the tables of tiktoken-go-loader in a fifth of their size: go test ./pkg/recall/tokens -update makes them.
//
//go:embed *.gz
var packed embed.FS

// vocabulary counts by tiktoken with a map of a few tokens instead of all, and remembers the
// counts of words. The library looks up only parts of the text that it encodes, so the map needs
// only the tokens in that text.
type vocabulary struct {
	all *table

	mu      sync.Mutex
	coder   *tiktoken.Tiktoken
	held    map[string]int // ranks by token, shared with coder; always has the single bytes
	counted map[string]int // tokens by word
}

const (
	// mostHeld is how many tokens, and how many words, are kept for later texts: about
	// 0.3 MB each.
	mostHeld = 8 << 10
	// longestWord is the longest word whose count is kept, in bytes.
	longestWord = 32
)

// count counts the tokens of a text.
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

// wordEnd returns the end of the first part of a text whose token count adds up with that of the
// rest. The patterns of the encodings split every text where a blank follows a visible character,
// wherever it stands.
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
		word = string([]rune(word)) // as the library sees it
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

// builtIn gives the library the tables that are compiled into this program. The library calls it
// once for each encoding, under its own lock.
type builtIn struct {
	mu   sync.Mutex
	made map[string]*vocabulary // by file name
}

// LoadTiktokenBpe implements tiktoken.BpeLoader. The encoder looks up tokens in the map that it
// returns, which grows and shrinks with the texts.
func (b *builtIn) LoadTiktokenBpe(address string) (map[string]int, error) {
	name := path.Base(address)
	file, err := packed.Open(strings.TrimSuffix(name, ".tiktoken") + ".gz")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read from
	all, err := readTable(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	v := &vocabulary{all: all, held: map[string]int{}, counted: map[string]int{}}
	v.holdBytes()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made[name] = v
	return v.held, nil
}

var tables = builtIn{made: map[string]*vocabulary{}}

// useBuiltInTables keeps the library from downloading. It sets the loader, which is global.
var useBuiltInTables = sync.OnceFunc(func() { tiktoken.SetBpeLoader(&tables) })

// loadVocabulary loads an encoding. It must be called only once for each.
func loadVocabulary(encoding string) (*vocabulary, error) {
	useBuiltInTables()
	coder, err := tiktoken.GetEncoding(encoding)
	if err != nil {
		return nil, err
	}
	tables.mu.Lock()
	defer tables.mu.Unlock()
	v := tables.made[encoding+".tiktoken"]
	v.coder = coder
	return v, nil
}
