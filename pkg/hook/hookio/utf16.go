package hookio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// UTF16 returns a text in UTF-16 as UTF-8. A lone surrogate and half a unit at the end become U+FFFD; a byte order mark stays.
func UTF16(text []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, 0, len(text)/2)
	for ; len(text) >= 2; text = text[2:] {
		units = append(units, order.Uint16(text))
	}
	read := []byte(string(utf16.Decode(units)))
	if len(text) > 0 {
		read = utf8.AppendRune(read, utf8.RuneError)
	}
	return read
}

// asUTF8 reads a text as UTF-8 without its byte order marks. A text in UTF-16, as some shells write to a program, is
// known by its mark or by the zero byte beside its first character, which must be in ASCII; all of it is read at once.
func asUTF8(r io.Reader) *bufio.Reader {
	head := bufio.NewReader(r)
	start, _ := head.Peek(2) // a shorter text has none of it
	switch {
	case len(start) < 2:
	case start[0] == 0xFE && start[1] == 0xFF, start[0] == 0:
		head = wide(head, binary.BigEndian)
	case start[0] == 0xFF && start[1] == 0xFE, start[1] == 0:
		head = wide(head, binary.LittleEndian)
	}
	for {
		if first, _ := head.Peek(1); string(first) != "\xef" {
			return head
		}
		if mark, _ := head.Peek(3); string(mark) != "\ufeff" {
			return head
		}
		_, _ = head.Discard(3) // they were peeked at
	}
}

func wide(r io.Reader, order binary.ByteOrder) *bufio.Reader {
	text, _ := io.ReadAll(r) // what came before an error is a document that ends too early
	return bufio.NewReader(bytes.NewReader(UTF16(text, order)))
}
