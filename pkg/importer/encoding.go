package importer

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ErrEncoding: a text has an unsupported encoding.
var ErrEncoding = fmt.Errorf("it is not in UTF-8: save it as UTF-8: %w", memory.ErrInvalid)

// Text returns a text from a file or pipe without byte order marks. The error is ErrEncoding.
func Text(data []byte) (string, error) {
	data = withoutMarks(data)
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", ErrEncoding
	}
	return string(data), nil
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
