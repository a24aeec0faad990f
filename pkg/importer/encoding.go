package importer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ErrEncoding means that a text has an unsupported encoding.
var ErrEncoding = fmt.Errorf("it is neither UTF-8 nor UTF-16: save it as UTF-8: %w", memory.ErrInvalid)

// Text returns a text from a file or pipe as UTF-8, without byte order marks and with \n as newline. It fails with ErrEncoding.
func Text(data []byte) (string, error) {
	data = decoded(data)
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", ErrEncoding
	}
	return newlines.Replace(string(data)), nil
}

// decoded converts a text to UTF-8. It recognises UTF-16 by its byte order mark or its first two characters.
func decoded(data []byte) []byte {
	if order := utf16Order(data); order != nil {
		data = hookio.UTF16(data, order)
	}
	return withoutMarks(data)
}

// wideHead is the number of bytes that are needed to recognise UTF-16.
const wideHead = 4

// utf16Order returns the byte order of a text in UTF-16 by its first bytes, or nil for another text.
func utf16Order(head []byte) binary.ByteOrder {
	switch {
	case len(head) < wideHead || bytes.HasPrefix(head, []byte{0xFF, 0xFE, 0, 0}): // UTF-32
		return nil
	case head[0] == 0xFE && head[1] == 0xFF || head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return binary.BigEndian
	case head[0] == 0xFF && head[1] == 0xFE || head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return binary.LittleEndian
	}
	return nil
}

func withoutMarks(text []byte) []byte {
	for {
		rest, found := bytes.CutPrefix(text, []byte("\ufeff"))
		if !found {
			return text
		}
		text = rest
	}
}
