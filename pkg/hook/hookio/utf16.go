package hookio

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

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

// ended is a reader that has ended with an error.
type ended struct{ err error }

func (e ended) Read([]byte) (int, error) { return 0, e.err }
