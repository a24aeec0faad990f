package hookio

import "strconv"

// Kind is the type of a [Value]. The zero Kind is Missing: the field was not in the
// document, or was dropped by a limit.
type Kind uint8

// The kinds of JSON value, and Missing for "not there".
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is one parsed JSON value. The zero Value is Missing, and every method
// is safe on it, so a chain of lookups needs no checks in between.
type Value struct {
	Kind Kind

	// Cut reports that a limit removed something: the middle of a string (Text
	// then holds head, marker and tail), or some members or elements of an
	// object or array.
	Cut bool

	// True is the value of a Bool.
	True bool

	// Text is the decoded text of a String, or the literal of a Number exactly
	// as it stood in the document.
	Text string

	// Items are the elements of an Array, in order.
	Items []Value

	// Fields are the members of an Object in order of first appearance. Names
	// are unique: of duplicates the last value won.
	Fields []Field
}

// Field is one member of an object.
type Field struct {
	Name  string
	Value Value
}

// Get follows object member names from v and returns the value there, or a Missing one.
// Without names it returns v itself.
func (v Value) Get(path ...string) Value { return *v.at(path) }

var missing Value

// at is Get without copying. It is not inlined, nor are those that use it: their copies were 30 KB of
// each hook program.
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

// String returns the text of the string at path, and "" when there is none or
// the value there is of another kind. It takes names, so Value is deliberately
// no fmt.Stringer.
//
//go:noinline
func (v Value) String(path ...string) string {
	if found := v.at(path); found.Kind == String {
		return found.Text
	}
	return ""
}

// Bool returns the boolean at path, and false for anything else.
//
//go:noinline
func (v Value) Bool(path ...string) bool {
	found := v.at(path)
	return found.Kind == Bool && found.True
}

// Int returns the whole number at path, and 0 for anything else and for what does not fit an int64.
func (v Value) Int(path ...string) int64 {
	n, err := strconv.ParseInt(v.at(path).Text, 10, 64)
	if err != nil || v.at(path).Kind != Number {
		return 0
	}
	return n
}

// List returns the elements of the array at path, and nil for anything else.
func (v Value) List(path ...string) []Value { return v.at(path).Items }
