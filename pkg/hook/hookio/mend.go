package hookio

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// stringMender passes JSON on, with its strings made valid for encoding/json. It escapes control characters. A
// backslash that begins no escape, as in "C:\Users", shows that the string's writer did not escape backslashes: then
// stringMender doubles every backslash of the string, except one before a quote.
type stringMender struct {
	source *io.LimitedReader // the bytes that may be read
	r      *bufio.Reader     // the source as UTF-8
	out    []byte            // mended bytes that were not passed on yet
	err    error             // the last error of r
}

// Read implements io.Reader. It blocks only until the next byte, or until the end of a string.
func (m *stringMender) Read(p []byte) (int, error) {
	if len(m.out) == 0 && m.err == nil {
		m.out = m.next()
	}
	n := copy(p, m.out)
	m.out = m.out[n:]
	if n == 0 {
		return 0, m.err
	}
	return n, nil
}

// next returns the buffered bytes up to a string, and the string.
func (m *stringMender) next() []byte {
	if _, m.err = m.r.Peek(1); m.err != nil {
		return nil
	}
	waiting, _ := m.r.Peek(m.r.Buffered()) // the bytes are buffered, so Peek cannot fail
	quote := bytes.IndexByte(waiting, '"')
	if quote < 0 {
		quote = len(waiting) - 1
	}
	out := bytes.Clone(waiting[:quote+1])
	_, _ = m.r.Discard(len(out))
	if out[quote] != '"' {
		return out
	}
	return append(out, mended(m.rest())...)
}

// rest returns the rest of a string with its closing quote. It adds a quote if the limit of source cuts the string, but not if the input ends there.
func (m *stringMender) rest() []byte {
	var text []byte
	for m.err == nil {
		var part []byte
		part, m.err = m.r.ReadSlice('"')
		text = append(text, part...)
		if errors.Is(m.err, bufio.ErrBufferFull) {
			m.err = nil
			continue
		}
		content := bytes.TrimSuffix(text, []byte(`"`))
		if backslashes := len(content) - len(bytes.TrimRight(content, `\`)); m.err == nil && backslashes%2 == 0 {
			return text
		}
	}
	if m.source.N > 0 {
		return text
	}
	if at := bytes.LastIndexByte(text, '\\'); at >= len(text)-5 && at >= 0 { // perhaps half an escape
		text = bytes.TrimRight(text[:at], `\`)
	}
	return append(text, '"')
}

// mended returns the text of a string in a form that encoding/json accepts.
func mended(text []byte) []byte {
	isRaw, isPlain := false, true
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] < ' ':
			isPlain = false
		case text[i] == '\\':
			if i+1 < len(text) && !isEscape(text[i+1:]) {
				isRaw = true
			}
			i++
		}
	}
	if isPlain && !isRaw {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/8)
	for i, c := range text {
		switch {
		case c < ' ':
			out = append(out, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&0xF])
		case c == '\\' && isRaw && !(i+1 < len(text)-1 && text[i+1] == '"'):
			out = append(out, '\\', '\\')
		default:
			out = append(out, c)
		}
	}
	return out
}

// isEscape reports whether the text behind a backslash completes a JSON escape, or may complete one if it is cut off.
func isEscape(behind []byte) bool {
	if behind[0] != 'u' {
		return bytes.IndexByte([]byte(`"\/bfnrt`), behind[0]) >= 0
	}
	for _, c := range behind[1:min(5, len(behind))] {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}

// UTF8 returns a reader of r as UTF-8 without leading byte order marks. It recognises UTF-16, which some shells and
// editors write, by its mark or by the zero bytes beside its first two characters, and then reads all of the input.
func UTF8(r io.Reader) *bufio.Reader {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(wideHead); len(head) == wideHead { // an error needs no check: a shorter input is not UTF-16, and a failed read fails again below
		if order := utf16Order(head); order != nil {
			in = wide(in, order)
		}
	}
	for {
		if first, _ := in.Peek(1); string(first) != "\xef" {
			return in
		}
		if mark, _ := in.Peek(3); string(mark) != "\ufeff" {
			return in
		}
		_, _ = in.Discard(3) // the bytes were peeked, so Discard cannot fail
	}
}

// wideHead is the number of bytes that are needed to recognise UTF-16.
const wideHead = 4

// utf16Order returns the byte order of a text in UTF-16 by its first bytes, or nil for another text.
func utf16Order(head []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE, 0, 0}): // UTF-32
		return nil
	case head[0] == 0xFE && head[1] == 0xFF || head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return binary.BigEndian
	case head[0] == 0xFF && head[1] == 0xFE || head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return binary.LittleEndian
	}
	return nil
}

// wide returns a reader of UTF-16 as UTF-8. A lone surrogate and an incomplete unit at the end become U+FFFD.
func wide(r io.Reader, order binary.ByteOrder) *bufio.Reader {
	text, err := io.ReadAll(r)
	units := make([]uint16, 0, len(text)/2)
	for ; len(text) >= 2; text = text[2:] {
		units = append(units, order.Uint16(text))
	}
	read := []byte(string(utf16.Decode(units)))
	if len(text) > 0 {
		read = utf8.AppendRune(read, utf8.RuneError)
	}
	return bufio.NewReader(io.MultiReader(bytes.NewReader(read), ended{cmp.Or(err, io.EOF)}))
}

type ended struct{ err error }

func (e ended) Read([]byte) (int, error) { return 0, e.err }
