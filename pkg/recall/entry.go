package recall

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Entry is a memory as recall sees it.
type Entry struct {
	Memory       memory.Memory
	SupersededBy string // id of the memory that replaced it, empty if none
	// Offered memories may be injected unasked. For a prompt, they are ranked only among
	// themselves.
	Offered bool
}

// part is a part of the index that is ranked by itself, because a word that is rare among the
// offered memories may be common in the log.
type part uint8

// The parts. A prompt searches the first, a question all.
const (
	offered part = iota
	logged
	parts
)

// doc is an entry with its analysis.
type doc struct {
	entry  *Entry     // nil: the slot is free
	cues   [][]string // the distinct terms of each cue
	work   []workType // the types that its cues name, or that the text of a rule that the user typed names
	files  []string   // the paths and file names in it, in lower case
	at     int64      // when it was last seen, in nanoseconds
	length float32
	// size is the number of words in the content of a memory without cues, counting a path or
	// an identifier as one word; 0 for a memory with cues.
	size float32
	part part
}

// mark is a file, a command, an error or a type of work of a memory. It is looked up exactly.
type mark struct {
	kind markKind
	text string
}

type markKind uint8

const (
	byFile    markKind = iota // the last part of a path
	byFolder                  // the folder of a file that a memory is about
	byCommand                 // a core of a command, see shell.Normalize
	byError                   // a signature, see memory.ErrorSignature
	byWork                    // a type of work
)
