package hookio

import (
	"errors"
	"math"
)

// limits bounds what is kept of a document. The rest is read and discarded.
type limits struct {
	// text is the maximum number of bytes of one string. A longer string keeps its head and tail around "…[N bytes cut]…".
	text int
	// depth is the deepest nesting of objects and arrays; the document itself is level 1. Deeper values are dropped.
	depth int
	// nodes is the maximum number of values. Top-level fields beyond it are kept.
	nodes int
	// skip lists the names of object members that are dropped with their values, at any level except inside tool_input,
	// where the tools choose the names.
	skip []string
}

// inputLimits also drops members that repeat what is kept, or are too large to keep: a file's content before an edit
// (originalFile), the edit as a patch (structuredPatch), a transcript, and the data of images (base64).
var inputLimits = limits{text: 32 << 10, depth: 64, nodes: 10_000, skip: []string{"originalFile", "structuredPatch", "transcript", "base64"}}

// textLimits only bounds what would take more memory than the text itself.
var textLimits = limits{text: math.MaxInt, depth: 10_000, nodes: math.MaxInt}

// The causes of an error of [Decode], for errors.Is.
var (
	ErrEmpty     = errors.New("no input")
	ErrTruncated = errors.New("input ends too early")
	ErrSyntax    = errors.New("input is not the JSON of a hook")
)
