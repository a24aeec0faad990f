package facts

import (
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/worktype"
)

// Index holds the facts of one project. It is safe for concurrent use. Its content
// depends only on the facts put and not removed, never on their order.
type Index struct {
	weights Weights

	mu       sync.RWMutex
	slots    map[string]uint32 // by memory id
	facts    []fact            // by slot
	free     []uint32          // slots of removed facts
	postings map[string][]posting
	marks    map[mark][]uint32 // the slots of the facts with a cue that has the mark
	length   float64           // of all facts; exact, as the weights of fields are quarters
	size     float64           // of all facts
	sized    int               // facts of which the size is not 0

	scratch sync.Pool // of *scores
}

// fact is a memory with its analysis.
type fact struct {
	memory memory.Memory
	terms  map[string]float64 // weighted occurrences
	cues   [][]string         // the distinct terms of each cue
	work   []worktype.Type    // that its cues name, or the text of a rule that the user typed
	files  []string           // that its cues name, in lower case: paths and file names
	marks  []mark
	length float64
	// size is the number of words of a text without cues, those of a path or an identifier
	// as one; 0 of one with cues. It is a multiple of a quarter, so that sums are exact.
	size float64
}

// mark is the last part of a path, or the core of a command, in a cue.
type mark struct {
	isCommand bool
	text      string
}

// posting is a fact that has a term, with the weighted occurrences.
type posting struct {
	slot uint32
	tf   float64
}

// New makes an empty index.
func New(w Weights) *Index {
	return &Index{weights: w, slots: map[string]uint32{}, postings: map[string][]posting{}, marks: map[mark][]uint32{}}
}

// Len is the number of facts.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.slots)
}

// All are the facts, in the order of their ids.
func (x *Index) All() []memory.Memory {
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := make([]memory.Memory, 0, len(x.slots))
	for _, id := range slices.Sorted(maps.Keys(x.slots)) {
		all = append(all, x.facts[x.slots[id]].memory)
	}
	return all
}

// Put adds a fact or replaces the one with the same id.
func (x *Index) Put(m memory.Memory) {
	f := x.weights.analyse(m)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(m.ID)
	slot := uint32(len(x.facts))
	if last := len(x.free) - 1; last >= 0 {
		slot, x.free = x.free[last], x.free[:last]
		x.facts[slot] = f
	} else {
		x.facts = append(x.facts, f)
	}
	x.slots[m.ID] = slot
	x.length += f.length
	x.measure(&f, 1)
	for term, tf := range f.terms {
		x.postings[term] = append(x.postings[term], posting{slot, tf})
	}
	for _, one := range f.marks {
		x.marks[one] = append(x.marks[one], slot)
	}
}

// Remove takes a fact out. A missing one is no error.
func (x *Index) Remove(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(id)
}

func (x *Index) remove(id string) {
	slot, has := x.slots[id]
	if !has {
		return
	}
	for term := range x.facts[slot].terms {
		left := slices.DeleteFunc(x.postings[term], func(p posting) bool { return p.slot == slot })
		if x.postings[term] = left; len(left) == 0 {
			delete(x.postings, term)
		}
	}
	for _, one := range x.facts[slot].marks {
		left := slices.DeleteFunc(x.marks[one], func(at uint32) bool { return at == slot })
		if x.marks[one] = left; len(left) == 0 {
			delete(x.marks, one)
		}
	}
	x.length -= x.facts[slot].length
	x.measure(&x.facts[slot], -1)
	x.facts[slot] = fact{}
	delete(x.slots, id)
	x.free = append(x.free, slot)
}

func (x *Index) measure(f *fact, sign int) {
	if f.size > 0 {
		x.size += float64(sign) * f.size
		x.sized += sign
	}
}

func (w Weights) analyse(m memory.Memory) fact {
	f := fact{memory: m, terms: map[string]float64{}}
	add := func(text string, weight float64) (terms []string) {
		for _, t := range english.Tokenize(text) {
			f.terms[t.Term] += weight
			f.length += weight
			terms = append(terms, t.Term)
		}
		return terms
	}
	add(m.Content, w.Text)
	add(m.Detail, w.Quote)
	for _, cue := range m.Cues {
		terms := add(cue, w.Cue)
		slices.Sort(terms)
		f.cues = append(f.cues, slices.Compact(terms))
		if core := shell.Core(cue); core != "" {
			f.mark(mark{true, core})
		}
		for _, word := range strings.Fields(strings.ToLower(cue)) {
			if word = strings.Trim(word, "`\"'()[]{},;:"); isFile(word) {
				word = strings.Trim(word, "/")
				f.files = append(f.files, word)
				f.mark(mark{false, path.Base(word)})
			}
		}
	}
	f.work = worktype.Named(strings.Join(m.Cues, "\n"))
	if len(m.Cues) > 0 {
		return f
	}
	for _, t := range english.Tokenize(m.Content) {
		f.size += t.Share
	}
	f.size = max(math.Round(4*f.size)/4, 1)
	if m.IsUsersWord() && (m.Kind.IsRule() || m.Kind == memory.KindNote) {
		f.work = worktype.Named(m.Content)
	}
	return f
}

func (f *fact) mark(one mark) {
	if !slices.Contains(f.marks, one) {
		f.marks = append(f.marks, one)
	}
}

// isFile says whether a word of a cue names a file or a folder.
func isFile(word string) bool {
	name := word[strings.LastIndexAny(word, `/\`)+1:]
	dot := strings.LastIndexByte(name, '.')
	return len(word) > 2 && (dot > 0 && dot < len(name)-1 || dot == 0 && len(name) > 2 || strings.Contains(strings.Trim(word, "/"), "/"))
}
