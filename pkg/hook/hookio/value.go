package hookio

import (
	"slices"
	"strconv"
	"strings"
)

type Kind uint8

// The kinds of JSON value. Missing, the zero Kind, is a field that the document does not have or that a limit dropped.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is a parsed JSON value. The zero Value is Missing; every method works on it, so lookups need no checks.
type Value struct {
	Kind Kind

	// Cut reports that a limit removed the middle of a string (Text has head, marker and tail), or members of a container.
	Cut bool

	// True is the value of a Bool.
	True bool

	// Text is the decoded text of a String, or a Number as it stood in the document.
	Text string

	// Items are the elements of an Array, in order.
	Items []Value

	// Fields are the members of an Object, in order.
	Fields []Field
}

// Field is one member of an object.
type Field struct {
	Name  string
	Value Value
}

// Get returns the value at a path of member names, or a Missing value. An empty path returns v.
func (v Value) Get(path ...string) Value { return *v.at(path) }

var missing Value

// at does what Get does, but returns a pointer. It and its callers are not inlined: inlined code made each hook program 30 KB larger.
//
//go:noinline
func (v *Value) at(path []string) *Value {
	for _, name := range path {
		v = v.member(name)
	}
	return v
}

func (v *Value) member(name string) *Value {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Fields[i].Value
		}
	}
	return &missing
}

// String returns the text of the string at path, or "" for a missing value or another kind. The parameter
// keeps Value from being a fmt.Stringer.
//
//go:noinline
func (v Value) String(path ...string) string {
	if found := v.at(path); found.Kind == String {
		return found.Text
	}
	return ""
}

// Message returns the text of a message, which is a string or a list of parts, with each part on a line of its own. A part is a
// string, or an object with the string in its field text.
func (v Value) Message() string {
	parts := []string{v.String()}
	for _, part := range v.Items {
		parts = append(parts, part.String()+part.String("text"))
	}
	return strings.Join(slices.DeleteFunc(parts, func(text string) bool { return text == "" }), "\n")
}

// Bool returns the boolean at path, or false for anything else.
//
//go:noinline
func (v Value) Bool(path ...string) bool {
	found := v.at(path)
	return found.Kind == Bool && found.True
}

// Int returns the whole number at path, or 0 for anything else and for a number beyond int64.
func (v Value) Int(path ...string) int64 {
	n, err := strconv.ParseInt(v.at(path).Text, 10, 64)
	if err != nil || v.at(path).Kind != Number {
		return 0
	}
	return n
}

// List returns the elements of the array at path, or nil for anything else.
func (v Value) List(path ...string) []Value { return v.at(path).Items }
