// Package purged keeps hashes of what must never be stored again: words, memories and sessions that a person has
// purged. The daemon and a rebuild check every row against it. It also lists purged projects.
package purged

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// Placeholder replaces purged words.
const Placeholder = "[purged words]"

// Refusal says why a text is not stored, and how it can be. ErrWords is the error.
const Refusal = "it has words that a person has purged; to allow all purged words again, a person deletes purged.json in the memory's home"

// GoneSession says what holds in a session that was purged. ErrSession is the error.
const GoneSession = "this session was purged: nothing said in it is stored, before or from now on; start a new session to be remembered"

// ErrSession is GoneSession as an error.
var ErrSession = fmt.Errorf("the text is not stored, because %s: %w", GoneSession, memory.ErrInvalid)

// ErrWords is Refusal as an error.
var ErrWords = fmt.Errorf("the text is not stored: %s: %w", Refusal, memory.ErrInvalid)

// withinWords is the number of letters and digits from which purged words are also found inside longer words.
const withinWords = 5

// List is a list of what was purged. Its methods do not change it and are safe for concurrent use. A nil List is empty.
type List struct {
	Salt     string   `json:"salt"`
	Words    []words  `json:"words"`
	Memories []string `json:"memories"` // IDs, which are hashes
	Sessions []string `json:"sessions"` // hashes of session IDs
	// Projects lists purged projects, which may be stored again. The user's other machines delete what they have of these projects.
	Projects []projectPurge `json:"projects,omitempty"`
	// Others are the lists of the user's other machines, each with a salt of its own.
	Others []*List `json:"others,omitempty"`
}

type projectPurge struct {
	Key string    `json:"key"` // hash
	At  time.Time `json:"at"`
}

// Own returns the list without the lists of other machines.
func (l *List) Own() *List {
	return &List{Salt: l.Salt, Words: l.Words, Memories: l.Memories, Sessions: l.Sessions, Projects: l.Projects}
}

// Adding returns a copy of the list with the lists of other machines. A longer list replaces a shorter one of the same
// machine, which is known by its salt. If this machine's list was deleted, its old list counts as another machine's.
func (l *List) Adding(others []*List) *List {
	all := l.Own()
	all.Others = slices.Clone(l.Others)
	for _, other := range others {
		at := slices.IndexFunc(all.Others, func(known *List) bool { return known.Salt == other.Salt })
		switch {
		case other.Salt == all.Salt:
		case at < 0:
			all.Others = append(all.Others, other.Own())
		case other.size() > all.Others[at].size():
			all.Others[at] = other.Own()
		}
	}
	return all
}

func (l *List) size() int {
	return len(l.Words) + len(l.Memories) + len(l.Sessions) + len(l.Projects)
}

// WithProjects returns a copy of the list with these projects added, as purged at a time.
func (l *List) WithProjects(keys []string, at time.Time) *List {
	more := l.Own()
	more.Salt, more.Others, more.Projects = cmp.Or(l.Salt, rand.Text()), l.Others, slices.Clone(l.Projects)
	more.Projects = append(more.Projects, memory.Each(keys, func(key string) projectPurge { return projectPurge{more.hash([]rune(key)), at} })...)
	return more
}

// PurgedAt returns when this machine last purged a project with one of the keys, or the zero time.
func (l *List) PurgedAt(keys ...string) (at time.Time) {
	for _, key := range keys {
		hash := l.hash([]rune(key))
		for _, one := range l.Projects {
			if one.Key == hash && one.At.After(at) {
				at = one.At
			}
		}
	}
	return at
}

// LastPurgedAt returns when any machine last purged a project with this key, as far as it is known, or the zero time.
func (l *List) LastPurgedAt(key string) time.Time {
	at := l.PurgedAt(key)
	for _, other := range l.Others {
		at = slices.MaxFunc([]time.Time{at, other.PurgedAt(key)}, time.Time.Compare)
	}
	return at
}

// NewProjects returns the purged projects of other machines that known lacks, as one list for each machine. rest is l without them.
func (l *List) NewProjects(known *List) (fresh []*List, rest *List) {
	rest = l.Own()
	for _, other := range l.Others {
		var before []projectPurge
		if at := slices.IndexFunc(known.Others, func(one *List) bool { return one.Salt == other.Salt }); at >= 0 {
			before = known.Others[at].Projects
		}
		left := other.Own()
		left.Projects = before
		rest.Others = append(rest.Others, left)
		if more := other.Projects[min(len(before), len(other.Projects)):]; len(more) > 0 {
			fresh = append(fresh, &List{Salt: other.Salt, Projects: more})
		}
	}
	return fresh, rest
}

// isOthers reports whether has returns true for the list of another machine.
func (l *List) isOthers(has func(*List) bool) bool { return slices.ContainsFunc(l.Others, has) }

// words is one purged text, without punctuation: the number of its letters and digits, and their hash.
type words struct {
	Runes int    `json:"runes"`
	Hash  string `json:"hash"`
}

// Load reads a list from a file. A missing file gives an empty list.
func Load(file string) (*List, error) {
	l := &List{}
	if err := atomicfile.ReadJSON(file, l); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the list of what was purged cannot be read: %s: %w; repair the file, or delete it and purge again", file, err)
	}
	return l, nil
}

func (l *List) Save(file string) error {
	if err := atomicfile.WriteJSON(file, l); err != nil {
		return fmt.Errorf("record what is purged: %w", err)
	}
	return nil
}

// With returns a copy of the list with these texts, memories and sessions added. It fails with memory.ErrInvalid for words of less than two letters or digits.
func (l *List) With(texts, memories, sessions []string) (*List, error) {
	more := l.WithProjects(nil, time.Time{})
	more.Words, more.Memories, more.Sessions = slices.Clone(l.Words), slices.Clone(l.Memories), slices.Clone(l.Sessions)
	for _, text := range texts {
		runes := bare(text)
		if len(runes) < 2 {
			return nil, fmt.Errorf("the words %q are too short to be purged: give at least two letters or digits: %w", text, memory.ErrInvalid)
		}
		more.Words = append(more.Words, words{Runes: len(runes), Hash: more.hash(runes)})
	}
	more.Memories = append(more.Memories, memories...)
	more.Sessions = append(more.Sessions, memory.Each(sessions, func(id string) string { return more.hash([]rune(id)) })...)
	return more, nil
}

func (l *List) hash(runes []rune) string {
	sum := hmac.New(sha256.New, []byte(l.Salt))
	_, _ = sum.Write([]byte(string(runes)))
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// HasSession reports whether a session was purged, or its ID, which cannot be changed, has purged words. An ID that a program made has no words.
func (l *List) HasSession(id string) bool {
	return l != nil && (len(l.Sessions) > 0 && slices.Contains(l.Sessions, l.hash([]rune(id))) || !memory.IsMadeID(id) && l.Clean(id) != id ||
		l.isOthers(func(one *List) bool { return one.HasSession(id) }))
}

// HasMemory reports whether a memory was purged.
func (l *List) HasMemory(id string) bool {
	return l != nil && (slices.Contains(l.Memories, id) || l.isOthers(func(one *List) bool { return one.HasMemory(id) }))
}

// letter is a letter or digit of a text in its normal form, with its place in the text.
type letter struct {
	r          rune
	start, end int
	opens      bool // a word begins here
	closes     bool // a word ends here
}

// lettersOf returns the letters and digits of a text in a normal form, without differences of composition, width, accents and case.
func lettersOf(text string) []letter {
	all := make([]letter, 0, len(text))
	var iter norm.Iter
	iter.InitString(norm.NFKD, text)
	before := ' '
	for at := 0; !iter.Done(); {
		part := string(iter.Next())
		end := iter.Pos()
		for _, r := range part {
			if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
				continue
			}
			edge := isEdge(before, r)
			if edge && len(all) > 0 {
				all[len(all)-1].closes = true
			}
			if isLetter(r) {
				folded := unicode.ToLower(unicode.ToUpper(r))
				if folded == 'ß' { // SS in capitals
					all = append(all, letter{'s', at, end, edge, false})
					folded, edge = 's', false
				}
				all = append(all, letter{folded, at, end, edge, false})
			}
			before = r
		}
		at = end
	}
	if len(all) > 0 {
		all[len(all)-1].closes = true
	}
	return all
}

func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mc, r)
}

// isEdge reports whether a word may begin between two characters.
func isEdge(before, r rune) bool {
	return !isLetter(before) || !isLetter(r) || unicode.IsDigit(before) != unicode.IsDigit(r) ||
		unicode.IsLower(before) && unicode.IsUpper(r) || isUnspaced(before) || isUnspaced(r)
}

// isUnspaced reports whether a character belongs to a script that is written without spaces between words.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func bare(text string) []rune { return runesOf(lettersOf(text)) }

func runesOf(letters []letter) []rune {
	return memory.Each(letters, func(one letter) rune { return one.r })
}

// Clean returns a text with Placeholder in place of all purged words, whatever their case, accents, widths, punctuation and colours.
// Words of less than withinWords letters are only found as whole words. If words are only found in the text as it is shown (see shown),
// Clean returns the text in that form.
func (l *List) Clean(text string) string {
	if l == nil {
		return text
	}
	for _, other := range l.Others {
		text = other.Clean(text)
	}
	text = l.clean(text)
	if seen := shown(text); seen != text {
		if clean := l.clean(seen); clean != seen {
			return clean
		}
	}
	return text
}

// shown returns a text without the escape sequences of terminals and invisible characters, and with a space for each code of white space.
func shown(text string) string { return spaces.Replace(defuse.Visible(text)) }

// spaces replaces the codes of white space in URLs, HTML and JSON that contain letters or digits.
var spaces = strings.NewReplacer(
	"%20", " ", "%0A", " ", "%0a", " ", "%09", " ", "%C2%A0", " ", "%c2%a0", " ",
	"&nbsp;", " ", "&#160;", " ", "&#xA0;", " ", "&#xa0;", " ", "&#32;", " ", "&#x20;", " ", "&#10;", " ",
	`\n`, " ", `\r`, " ", `\t`, " ", `\u0020`, " ", `\u00a0`, " ", `\u00A0`, " ",
)

// clean is Clean for this machine's words and a text as it is written.
func (l *List) clean(text string) string {
	if len(l.Words) == 0 || text == "" {
		return text
	}
	letters := lettersOf(text)
	runes := runesOf(letters)
	var clean strings.Builder
	kept := 0
	for at := 0; at < len(letters); {
		n := l.at(letters, runes, at)
		if n == 0 {
			at++
			continue
		}
		if start := letters[at].start; start >= kept {
			clean.WriteString(text[kept:start])
			clean.WriteString(Placeholder)
		}
		kept, at = letters[at+n-1].end, at+n
	}
	clean.WriteString(text[kept:])
	return clean.String()
}

// at returns the length of the longest purged words that begin at a letter, or 0.
func (l *List) at(letters []letter, runes []rune, at int) (longest int) {
	hashes := map[int]string{}
	hash := func(n int) string {
		if hashes[n] == "" {
			hashes[n] = l.hash(runes[at : at+n])
		}
		return hashes[n]
	}
	for _, one := range l.Words {
		n := one.Runes
		switch {
		case n <= longest || at+n > len(runes):
		case n < withinWords && (!letters[at].opens || !letters[at+n-1].closes):
		case hash(n) == one.Hash:
			longest = n
		}
	}
	return longest
}

// Sweep returns the sweep that removes from stored rows what was purged.
func (l *List) Sweep() memory.Sweep {
	gone := map[string]bool{}
	for _, one := range append([]*List{l}, l.Others...) {
		for _, id := range one.Memories {
			gone[id] = true
		}
	}
	return memory.Sweep{Clean: l.Clean, Whole: true, Memories: gone, IsSession: l.HasSession, Gone: map[string][]memory.Sighting{}, Stay: map[string][]memory.Sighting{}}
}

// IsEmpty reports whether nothing was purged.
func (l *List) IsEmpty() bool {
	return l == nil || l.size() == 0 && len(l.Others) == 0
}

// RemoveFrom removes from a batch the rows of purged sessions, purged memories, and memories and prompts with Placeholder in their text.
// A memory that another session has stated, too, stays as that session's.
func (l *List) RemoveFrom(b *memory.Batch) {
	if l.IsEmpty() {
		return
	}
	gone, from := map[string]bool{}, map[string]string{}
	for _, s := range b.Sightings {
		if !l.HasSession(s.Session) {
			from[s.Memory] = s.Session
		}
	}
	for i, m := range b.Memories {
		if l.HasSession(m.Session) {
			b.Memories[i].Session = cmp.Or(from[m.ID], m.Session)
		}
	}
	b.Memories = slices.DeleteFunc(b.Memories, func(m memory.Memory) bool {
		isGone := l.HasMemory(m.ID) || l.HasSession(m.Session) || HasPlaceholder(m)
		gone[m.ID] = isGone
		return isGone
	})
	b.Sessions = slices.DeleteFunc(b.Sessions, func(s memory.Session) bool { return l.HasSession(s.ID) })
	b.Prompts = slices.DeleteFunc(b.Prompts, func(p memory.Prompt) bool { return l.HasSession(p.Session) || HasPlaceholder(p) })
	b.Sightings = slices.DeleteFunc(b.Sightings, func(s memory.Sighting) bool {
		return gone[s.Memory] || l.HasMemory(s.Memory) || l.HasSession(s.Session)
	})
	b.SessionEvents = slices.DeleteFunc(b.SessionEvents, func(e memory.SessionEvent) bool { return l.HasSession(e.Session) })
	b.Derived = slices.DeleteFunc(b.Derived, func(d memory.Derivation) bool { return gone[d.Memory] || gone[d.From] })
	b.UserWritten = slices.DeleteFunc(b.UserWritten, func(id string) bool { return gone[id] })
	b.Summaries = slices.DeleteFunc(b.Summaries, func(s memory.SessionSummary) bool { return l.HasSession(s.Session) })
	b.Injections = slices.DeleteFunc(b.Injections, func(i memory.Injection) bool { return l.HasSession(i.Session) })
	b.Uses = slices.DeleteFunc(b.Uses, func(u memory.Use) bool { return l.HasSession(u.Session) })
	b.Queued = slices.DeleteFunc(b.Queued, func(d memory.Distillation) bool { return l.HasSession(d.Session) })
}

// HasPlaceholder reports whether a text of a row has Placeholder.
func HasPlaceholder[T any](row T) (has bool) {
	_ = memory.CleanedTexts(row, func(text string) string {
		has = has || strings.Contains(text, Placeholder)
		return text
	})
	return has
}

// Reader returns the current list of a file. It is safe for concurrent use.
type Reader struct {
	file string
	log  *slog.Logger

	mu      sync.Mutex
	list    *List
	changed time.Time
}

func NewReader(file string, log *slog.Logger) *Reader { return &Reader{file: file, log: log} }

// List returns the list. If the file cannot be read, it logs the error and returns the last list.
func (r *Reader) List() *List {
	info, err := os.Stat(r.file)
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) {
		r.list = nil
		return nil
	}
	if err == nil && r.list != nil && info.ModTime().Equal(r.changed) {
		return r.list
	}
	list, err := Load(r.file)
	if err != nil {
		r.log.Error("what was purged may be stored again", "error", err)
		return r.list
	}
	r.list, r.changed = list, info.ModTime()
	return list
}
