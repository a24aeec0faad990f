package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// maxLine is the maximum number of bytes of a transcript's line that are read. The longest lines have images.
const maxLine = 16 << 20

type line struct {
	text       []byte // the line; if it is too long, only its beginning, which is not valid JSON
	unfinished bool   // the line has no end
}

// lineReader reads the lines of a text in UTF-8 or UTF-16. A line ends at \n, \r\n or \r.
type lineReader struct {
	r     *bufio.Reader
	limit int // most bytes of a line
}

func newLineReader(r io.Reader, limit int) lineReader {
	return lineReader{hookio.UTF8(bufio.NewReaderSize(r, 64<<10)), limit}
}

// next reads a line. After the last line it returns io.EOF.
func (l *lineReader) next() (line, error) {
	var found line
	isTooLong, hasBegun := false, false
	for end := -1; end < 0; hasBegun = true {
		if _, err := l.r.Peek(1); errors.Is(err, io.EOF) && hasBegun {
			found.unfinished = true
			break
		} else if err != nil {
			return found, err
		}
		part, _ := l.r.Peek(l.r.Buffered())
		if end = bytes.IndexAny(part, "\r\n"); end >= 0 {
			part = part[:end+1]
		}
		text := bytes.TrimRight(part, "\r\n")
		if isTooLong = isTooLong || len(found.text)+len(text) > l.limit; !isTooLong {
			found.text = append(found.text, text...)
		}
		isReturn := part[len(part)-1] == '\r'
		_, _ = l.r.Discard(len(part)) // the part was peeked, so Discard cannot fail
		if follows, _ := l.r.Peek(1); isReturn && string(follows) == "\n" {
			_, _ = l.r.Discard(1)
		}
	}
	found.text = bytes.TrimLeft(found.text, "\ufeff")
	return found, nil
}
