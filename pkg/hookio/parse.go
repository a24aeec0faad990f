package hookio

import (
	"io"
	"math"
)

// ParseObject reads the JSON object that a text begins with, and keeps all of it but names of more than
// 1024 and numbers of more than 64 bytes. The rest is left unread. It takes the same input as Decode,
// but no byte order mark; a text that is cut off or is no object is a [*DecodeError].
func ParseObject(text []byte) (Value, error) {
	d := decoder{
		buf: text[:len(text):len(text)], readErr: io.EOF, quoteAt: -1, slashAt: -1,
		limits: Limits{String: math.MaxInt32, Total: math.MaxInt32, Depth: 10_001, Nodes: math.MaxInt32, Skip: []string{}},
	}
	c, err := d.token()
	if err != nil {
		return Value{}, err
	}
	d.unread()
	if c != '{' {
		return Value{}, d.fail(ErrSyntax, "expected an object")
	}
	v, err := d.value(1)
	if err != nil {
		return Value{}, err
	}
	return v, nil
}
