package recall

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Entry is a memory as recall sees it.
type Entry struct {
	Memory       memory.Memory
	SupersededBy string // id of the memory that replaced it, empty if none
	// Offered memories may be injected unasked: for a prompt, these are ranked
	// among themselves.
	Offered bool
}

// part is a part of the index that is ranked by itself: a word that is rare among the
// offered memories may be common in the log.
type part uint8

// The parts. A prompt asks the first, a question all.
const (
	offered part = iota
	logged
	parts
)

// doc is an entry with its analysis.
type doc struct {
	entry  *Entry     // nil: the slot is free
	cues   [][]string // the distinct terms of each cue
	work   []workType // that its cues name, or the text of a rule that the user typed
	files  []string   // that it names, in lower case: paths and file names
	at     int64      // when it was last seen, in nanoseconds
	length float32
	// size is the number of words of a text without cues, those of a path or an identifier
	// as one; 0 of one with cues.
	size float32
	part part
}

// mark is a file, a command, an error or a type of work of a memory, which is looked up as it is.
type mark struct {
	kind markKind
	text string
}

type markKind uint8

const (
	byFile    markKind = iota // the last part of a path
	byFolder                  // of a file that a memory is about
	byCommand                 // a core, as shell.Normalize makes it
	byError                   // a signature, as memory.ErrorSignature makes it
	byWork                    // a type of work
)
