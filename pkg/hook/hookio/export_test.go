package hookio

import (
	"encoding/json"
	"io"
	"strconv"
)

// CutUTF16 is what Encode cuts a text with.
var CutUTF16 = cutUTF16

// Limits are other limits than those of a hook's input; one that is not above 0 is as there.
type Limits struct {
	String, Total, Depth, Nodes int
	Skip                        []string
}

// DecodeWithin is Decode with other limits.
func DecodeWithin(r io.Reader, other Limits) (Input, error) {
	within := inputLimits
	for given, limit := range map[*int]*int{&other.Total: &within.total, &other.Depth: &within.depth, &other.Nodes: &within.nodes} {
		if *given > 0 {
			*limit = *given
		}
	}
	if other.String > 0 {
		within.text = max(other.String, leastText)
	}
	if other.Skip != nil {
		within.skip = other.Skip
	}
	return decode(r, within)
}

// The rest encodes a value as JSON.

// AppendJSON appends v to dst as compact JSON. A Missing value becomes null;
// a cut value is written as it was kept.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case Bool:
		return strconv.AppendBool(dst, v.True)
	case Number:
		return append(dst, v.Text...)
	case String:
		return appendQuoted(dst, v.Text)
	case Array:
		return v.appendArray(dst)
	case Object:
		return v.appendObject(dst)
	case Missing, Null:
	}
	return append(dst, "null"...)
}

func (v Value) appendArray(dst []byte) []byte {
	dst = append(dst, '[')
	for i, item := range v.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item.AppendJSON(dst)
	}
	return append(dst, ']')
}

func (v Value) appendObject(dst []byte) []byte {
	dst = append(dst, '{')
	for i, field := range v.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendQuoted(dst, field.Name)
		dst = append(dst, ':')
		dst = field.Value.AppendJSON(dst)
	}
	return append(dst, '}')
}

// MarshalJSON lets a Value stand inside a struct that encoding/json writes.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// Has reports whether a value, possibly null, exists at path.
func (v Value) Has(path ...string) bool { return v.Get(path...).Kind != Missing }

func appendQuoted(dst []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a string has no error
	return append(dst, quoted...)
}
