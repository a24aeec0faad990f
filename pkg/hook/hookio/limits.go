package hookio

import (
	"errors"
	"fmt"
	"math"
)

// limits bound the part of a document that is kept. The rest is read and not kept.
type limits struct {
	// text is the most bytes of one string. Of a longer one its head and its tail are kept around "…[N bytes cut]…".
	text int
	// total is the most bytes of all strings; those after that are kept empty and marked Cut. Top-level strings count,
	// but are always kept up to text.
	total int
	// depth is how deep objects and arrays may nest, the document itself being level 1. Deeper ones are dropped.
	depth int
	// nodes is the most values, not counting top-level fields that come after them.
	nodes int
	// skip names object members that are dropped with all they hold wherever they stand, except inside tool_input, whose
	// names belong to the tools.
	skip []string
}

// inputLimits skip a second copy of a file and its patch, and the text of an image.
var inputLimits = limits{text: 32 << 10, total: 2 << 20, depth: 64, nodes: 10_000, skip: []string{"originalFile", "structuredPatch", "transcript", "base64"}}

// textLimits bound what takes more memory than the text itself.
var textLimits = limits{text: math.MaxInt, total: math.MaxInt, depth: 10_000, nodes: math.MaxInt}

// The defects of a document. Decode returns them inside a [*DecodeError]; match with
// errors.Is.
var (
	ErrEmpty     = errors.New("no input")
	ErrTruncated = errors.New("input ends too early")
	ErrSyntax    = errors.New("input is not the JSON of a hook")
)

// DecodeError is the defect that stopped [Decode], and its place.
type DecodeError struct {
	Err    error // ErrEmpty, ErrTruncated or ErrSyntax
	Offset int64 // bytes of the document in UTF-8 before the value at fault
	Cause  error // the error of the syntax, or the reader's own; may be nil
}

// Error describes the defect for the log.
func (e *DecodeError) Error() string {
	text := fmt.Sprintf("hookio: decode: %v at byte %d", e.Err, e.Offset)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap gives errors.Is both the kind and the cause.
func (e *DecodeError) Unwrap() []error { return []error{e.Err, e.Cause} }
