package importer

import (
	"bufio"
	"cmp"
	"errors"
	"io"
)

// maxLine is the longest line that is read, in bytes. A hook's input was never
// seen to have more than 600 KB; lines with images have.
const maxLine = 16 << 20

type line struct {
	text       []byte
	end        int64 // the offset behind it
	tooLong    bool  // then text is its beginning
	unfinished bool  // no newline ends it
}

type lineReader struct {
	r      *bufio.Reader
	limit  int // of a line, in bytes; 0 means maxLine
	offset int64
}

// next reads a line. The error is io.EOF behind the last.
func (l *lineReader) next() (line, error) {
	var found line
	limit := cmp.Or(l.limit, maxLine)
	for {
		part, err := l.r.ReadSlice('\n')
		l.offset += int64(len(part))
		if len(found.text)+len(part) > limit {
			found.tooLong = true
		} else {
			found.text = append(found.text, part...)
		}
		found.end = l.offset
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			if len(found.text) == 0 && !found.tooLong {
				return found, io.EOF
			}
			found.unfinished = true
			err = nil
		}
		found.text = withoutMarks(found.text)
		return found, err
	}
}
