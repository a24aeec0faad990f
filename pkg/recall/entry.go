package recall

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Entry is a memory in the index.
type Entry struct {
	Memory       memory.Memory
	SupersededBy string // id of the memory that replaced it, empty if none
	// Offered is set if the memory may be injected unasked. Prompts are ranked among offered memories only.
	Offered bool
}

// part is a part of the index with its own counts of documents and words, because a word that is rare among the
// offered memories may be common among the others.
type part uint8

// The parts and their number. Index.Recall searches all parts, the other searches by text only offered memories.
const (
	offered part = iota
	logged
	parts
)

// doc is an entry with its analysis.
type doc struct {
	entry  *Entry     // nil: the slot is free
	cues   [][]string // the distinct terms of each cue
	work   []workType // types of work that the cues name, or, for a rule that the user typed, the text
	files  []string   // paths and file names in the memory, in lower case
	at     int64      // last sighting, in nanoseconds
	length float32
	// size is the number of words in the content of a memory without cues, counting a path or
	// an identifier as one word; 0 for a memory with cues.
	size float32
	part part
}

// lookupKey is a file, a command or an error by which memories are looked up exactly.
type lookupKey struct {
	kind keyKind
	text string
}

type keyKind uint8

const (
	byFile    keyKind = iota // the last part of a path
	byCommand                // a command in the form of shell.CoreOf
	byError                  // an error in the form of memory.ErrorSignature
)
