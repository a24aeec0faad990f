package importer

import (
	"bufio"
	"cmp"
	"errors"
	"io"
)

// maxLine is the maximum number of bytes of a line that are read. A hook's input never had more than 600 KB, but lines with images do.
const maxLine = 16 << 20

type line struct {
	text       []byte
	end        int64 // offset after the line
	tooLong    bool  // text is only the line's beginning
	unfinished bool  // the line has no newline
}

type lineReader struct {
	r      *bufio.Reader
	limit  int // most bytes of a line; 0 means maxLine
	offset int64
}

// next reads a line. After the last line it returns io.EOF.
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
