package importer

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ErrEncoding means that a text has an unsupported encoding.
var ErrEncoding = fmt.Errorf("it is neither UTF-8 nor UTF-16: save it as UTF-8: %w", memory.ErrInvalid)

// Text returns a text from a file or pipe as UTF-8, without byte order marks and with \n as newline. It fails with ErrEncoding.
func Text(data []byte) (string, error) {
	data, _ = io.ReadAll(hookio.UTF8(bytes.NewReader(data))) // reading from memory cannot fail
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", ErrEncoding
	}
	return newlines.Replace(string(data)), nil
}
