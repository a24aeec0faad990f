// Package jsonout writes JSON without package encoding/json, which inspects every field of
// every type first: that took a tenth of a hook's process, and its code a tenth of the
// program. It writes the given values and knows no types of its own.
package jsonout

import (
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// Object is a JSON object that is being written, member by member.
type Object struct {
	bytes []byte
	err   error // the first
}

// Append begins an object behind other bytes.
func Append(b []byte) Object { return Object{bytes: append(b, '{')} }

// End returns all bytes. Its error is a time that RFC 3339 cannot express.
func (o *Object) End() ([]byte, error) { return append(o.bytes, '}'), o.err }

// IsEmpty tells whether no member was written.
func (o *Object) IsEmpty() bool { return o.bytes[len(o.bytes)-1] == '{' }

func (o *Object) key(name string) {
	if !o.IsEmpty() {
		o.bytes = append(o.bytes, ',')
	}
	o.bytes = append(AppendQuoted(o.bytes, name), ':')
}

// Inside writes a member that is an object.
func (o *Object) Inside(name string, write func(*Object)) {
	o.key(name)
	o.bytes = append(o.bytes, '{')
	write(o)
	o.bytes = append(o.bytes, '}')
}

// Text writes a text.
func (o *Object) Text(name, value string) {
	o.key(name)
	o.bytes = AppendQuoted(o.bytes, value)
}

// Given writes a text unless it is empty.
func (o *Object) Given(name, value string) {
	if value != "" {
		o.Text(name, value)
	}
}

// List writes texts unless there are none.
func (o *Object) List(name string, values []string) {
	if len(values) == 0 {
		return
	}
	o.key(name)
	for i, value := range values {
		separator := byte(',')
		if i == 0 {
			separator = '['
		}
		o.bytes = AppendQuoted(append(o.bytes, separator), value)
	}
	o.bytes = append(o.bytes, ']')
}

// Number writes a whole number.
func (o *Object) Number(name string, value int) {
	o.key(name)
	o.bytes = strconv.AppendInt(o.bytes, int64(value), 10)
}

// Count writes a whole number unless it is 0.
func (o *Object) Count(name string, value int) {
	if value != 0 {
		o.Number(name, value)
	}
}

// Flag writes true, or nothing.
func (o *Object) Flag(name string, value bool) {
	if value {
		o.key(name)
		o.bytes = append(o.bytes, "true"...)
	}
}

// Time writes a time.
func (o *Object) Time(name string, value time.Time) {
	text, err := value.MarshalText()
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("%s: %w", name, err)
	}
	o.Text(name, string(text))
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string; a byte that is no UTF-8 becomes U+FFFD. U+2028 and U+2029 are escaped too,
// as some readers of JSON lines take them for line ends.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		width, escape := 1, ""
		if c >= utf8.RuneSelf {
			var r rune
			r, width = utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && width == 1:
				escape = "\uFFFD"
			case r == '\u2028':
				escape = `\u2028`
			case r == '\u2029':
				escape = `\u2029`
			default:
				i += width
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		if escape != "" {
			dst = append(dst, escape...)
		} else {
			dst = appendEscape(dst, c)
		}
		i += width
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}
