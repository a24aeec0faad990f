package hookio

import (
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/jsonout"
)

// Parts that only tests need: encoding a value as JSON.

// AppendJSON appends v to dst as compact JSON. A Missing value becomes null;
// a cut value is written as it was kept.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case Bool:
		return strconv.AppendBool(dst, v.True)
	case Number:
		return append(dst, v.Text...)
	case String:
		return jsonout.AppendQuoted(dst, v.Text)
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
		dst = jsonout.AppendQuoted(dst, field.Name)
		dst = append(dst, ':')
		dst = field.Value.AppendJSON(dst)
	}
	return append(dst, '}')
}

// MarshalJSON lets a Value stand inside a struct that encoding/json writes.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// Has reports whether a value, possibly null, exists at path.
func (v Value) Has(path ...string) bool { return v.Get(path...).Kind != Missing }
