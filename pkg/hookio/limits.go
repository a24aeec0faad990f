package hookio

import (
	"errors"
	"fmt"
)

// Limits bounds the part of a document that [Decode] keeps. A field that is zero takes
// its default. The rest is read and not kept.
type Limits struct {
	// String is the most bytes kept of one string, the marker included. Of a
	// longer one its head and its tail are kept around "…[N bytes cut]…".
	// Default 32 KiB, at least 64.
	String int

	// Total is the most bytes of string kept in all; strings that come after
	// that are kept empty and marked Cut. Top-level strings count, but are
	// always kept up to String. Default 2 MiB.
	Total int

	// Depth is how deep objects and arrays may nest, the document itself being
	// level 1. Deeper ones are dropped. Default 64.
	Depth int

	// Nodes is the most values kept in all, not counting top-level fields that
	// come after them. Default 10,000.
	Nodes int

	// Skip names object members that are dropped with all they hold wherever
	// they stand, except inside tool_input, whose names belong to the tools.
	// Default: originalFile, structuredPatch (a second copy of a file and its
	// patch), transcript, base64 (an image). A non-nil empty slice skips none.
	// The content of Write's tool_response is always dropped: tool_input has it.
	Skip []string
}

// minStringBytes is the least bytes of a string that is kept: room for the marker and something around it.
const minStringBytes = 64

func (l Limits) withDefaults() Limits {
	l.String = orDefault(l.String, 32<<10)
	l.String = max(l.String, minStringBytes)
	l.Total = orDefault(l.Total, 2<<20)
	l.Depth = orDefault(l.Depth, 64)
	l.Nodes = orDefault(l.Nodes, 10_000)
	if l.Skip == nil {
		l.Skip = []string{"originalFile", "structuredPatch", "transcript", "base64"}
	}
	return l
}

func orDefault(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}

// The defects of a document. Decode returns them inside a [*DecodeError]; match with
// errors.Is.
var (
	ErrEmpty     = errors.New("no input")
	ErrTruncated = errors.New("input ends too early")
	ErrSyntax    = errors.New("input is not the JSON of a hook")
)

// DecodeError is the defect that stopped [Decode], and its place.
type DecodeError struct {
	Err    error  // ErrEmpty, ErrTruncated or ErrSyntax
	Offset int64  // bytes of the document in UTF-8 before the value at fault
	Detail string // the error of the syntax; may be empty
	Cause  error  // the reader's own error, if that was the reason; may be nil
}

func (e *DecodeError) Error() string {
	text := fmt.Sprintf("hookio: decode: %v at byte %d", e.Err, e.Offset)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap gives errors.Is both the kind and the cause.
func (e *DecodeError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}

func (v Value) without(name string) Value {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			v.Fields = append(v.Fields[:i:i], v.Fields[i+1:]...)
			return v
		}
	}
	return v
}
