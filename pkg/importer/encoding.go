package importer

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ErrEncoding says that a text is in an encoding that is not understood.
var ErrEncoding = fmt.Errorf("it is neither in UTF-8 nor in UTF-16: save it as UTF-8: %w", memory.ErrInvalid)

// Text is a text as it was read from a file or a pipe, without byte order marks. The error is ErrEncoding.
func Text(data []byte) (string, error) {
	data = decoded(data)
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", ErrEncoding
	}
	return string(data), nil
}

// decoded is a text in UTF-8; one in UTF-16 is recognised by its byte order mark or its first two
// characters.
func decoded(data []byte) []byte {
	if isWide, big := wide(data); isWide {
		text, err := io.ReadAll(hookio.UTF16(bytes.NewReader(data), big))
		if err != nil { // a reader of bytes has none
			return data
		}
		data = text
	}
	return withoutMarks(data)
}

// wideHead is how many bytes tell UTF-16.
const wideHead = 4

// wide tells a text in UTF-16 by its first bytes, and whether the higher byte of each unit is the first.
func wide(head []byte) (isWide, big bool) {
	if len(head) < wideHead || bytes.HasPrefix(head, []byte{0xFF, 0xFE, 0, 0}) { // UTF-32
		return false, false
	}
	little := head[0] == 0xFF && head[1] == 0xFE || head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0
	big = head[0] == 0xFE && head[1] == 0xFF || head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0
	return little || big, big
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
