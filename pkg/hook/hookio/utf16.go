package hookio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// UTF16 converts UTF-16 to UTF-8. A lone surrogate and an incomplete unit at the end become U+FFFD. A byte order mark is kept.
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

// asUTF8 returns a reader of r as UTF-8 without leading byte order marks. It recognises UTF-16, which some shells
// write, by its mark or by the zero byte beside an ASCII first character. It reads all UTF-16 at once.
func asUTF8(r io.Reader) *bufio.Reader {
	head := bufio.NewReader(r)
	start, _ := head.Peek(2) // a text of less than two bytes is not UTF-16
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
		_, _ = head.Discard(3) // they were peeked, so this cannot fail
	}
}

func wide(r io.Reader, order binary.ByteOrder) *bufio.Reader {
	text, _ := io.ReadAll(r) // after a read error the document ends early, which the decoder reports
	return bufio.NewReader(bytes.NewReader(UTF16(text, order)))
}
