package hookio

import (
	"bytes"
	"errors"
	"io"
)

const (
	firstChunk = 4 << 10 // most events fit; spares a short-lived process the pages of a full chunk
	fullChunk  = 64 << 10
)

// decoder walks one document over a buffer that is refilled in place. Errors
// are sticky by return: every method that reads returns a *DecodeError or nil.
type decoder struct {
	r       io.Reader
	readErr error
	buf     []byte // bytes read and not yet dropped; len is the filled part
	pos     int    // next byte in buf
	base    int64  // offset of buf[0] in the document

	// Positions in buf of the next quote and backslash, when not before pos.
	// Remembered so that dense escapes do not search the same bytes again.
	quoteAt, slashAt int

	limits  Limits
	nodes   int
	kept    int    // bytes of string kept so far
	scratch []byte // the string being read
	dropped int    // bytes of it already thrown away between head and tail
	private privateScan
	escaped []int // where in scratch the characters are that escapes made
	isRaw   bool  // the string has backslashes that nobody escaped

	verbatim     bool // inside tool_input, where Limits.Skip does not apply
	writeContent bool // the next level's "content" repeats Write's input
}

func (d *decoder) fail(kind error, detail string) *DecodeError {
	return &DecodeError{Err: kind, Offset: d.base + int64(d.pos), Detail: detail}
}

// fill replaces the used-up buffer by the next chunk.
func (d *decoder) fill() *DecodeError {
	d.base += int64(len(d.buf))
	d.pos, d.quoteAt, d.slashAt = 0, -1, -1
	switch full := len(d.buf) == cap(d.buf); {
	case d.buf == nil:
		d.buf = make([]byte, 0, firstChunk)
	case full && cap(d.buf) < fullChunk:
		d.buf = make([]byte, 0, fullChunk)
	}
	d.buf = d.buf[:0]
	for tries := 0; d.readErr == nil && len(d.buf) == 0; tries++ {
		n, err := d.r.Read(d.buf[:cap(d.buf)])
		d.buf, d.readErr = d.buf[:n], err
		if tries == 100 {
			d.readErr = io.ErrNoProgress
		}
	}
	if len(d.buf) > 0 {
		return nil
	}
	err := d.fail(ErrTruncated, "")
	if !errors.Is(d.readErr, io.EOF) {
		err.Cause = d.readErr
	}
	return err
}

// next consumes one byte.
func (d *decoder) next() (byte, *DecodeError) {
	if d.pos == len(d.buf) {
		if err := d.fill(); err != nil {
			return 0, err
		}
	}
	c := d.buf[d.pos]
	d.pos++
	return c, nil
}

// token consumes white space and then one byte.
func (d *decoder) token() (byte, *DecodeError) {
	for {
		c, err := d.next()
		if err != nil || !isSpace(c) {
			return c, err
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (d *decoder) unread() { d.pos-- }

// special returns the position of the next quote or backslash from pos on, or
// the end of the buffer.
func (d *decoder) special() int {
	if c := d.buf[d.pos]; c == '"' || c == '\\' {
		return d.pos
	}
	d.quoteAt = d.find('"', d.quoteAt)
	d.slashAt = d.find('\\', d.slashAt)
	return min(d.quoteAt, d.slashAt)
}

func (d *decoder) find(c byte, known int) int {
	if known >= d.pos {
		return known
	}
	if i := bytes.IndexByte(d.buf[d.pos:], c); i >= 0 {
		return d.pos + i
	}
	return len(d.buf)
}

// skip reads one value and keeps nothing of it. It finds the end of the value but
// does not validate it: a malformed literal inside it is not reported.
func (d *decoder) skip() *DecodeError {
	c, err := d.token()
	if err != nil {
		return err
	}
	return d.skipFrom(c)
}

// skipFrom reads the rest of a value that begins with c. It follows strings and
// counts brackets, whatever their kind, so that any depth takes no memory.
func (d *decoder) skipFrom(c byte) *DecodeError {
	switch c {
	case '"':
		return d.skipString()
	case '{', '[':
		return d.skipContainer()
	case '}', ']', ',', ':':
		d.unread()
		return d.fail(ErrSyntax, "expected a value")
	}
	return d.skipScalar()
}

func (d *decoder) skipContainer() *DecodeError {
	for open := 1; open > 0; {
		c, err := d.next()
		if err != nil {
			return err
		}
		switch c {
		case '"':
			if err := d.skipString(); err != nil {
				return err
			}
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
	}
	return nil
}

func (d *decoder) skipString() *DecodeError {
	for {
		if d.pos == len(d.buf) {
			if err := d.fill(); err != nil {
				return err
			}
		}
		d.pos = d.special()
		if d.pos == len(d.buf) {
			continue
		}
		c := d.buf[d.pos]
		d.pos++
		if c == '"' {
			return nil
		}
		if _, err := d.next(); err != nil {
			return err
		}
	}
}

// skipScalar reads up to the character that ends a number or a literal.
func (d *decoder) skipScalar() *DecodeError {
	for {
		c, err := d.next()
		if err != nil {
			return err
		}
		if isSpace(c) || c == ',' || c == '}' || c == ']' {
			d.unread()
			return nil
		}
	}
}

const (
	privateTag    = "<private"
	privateEndTag = "</private"
)

// privateScan follows the private tags of the text that is cut out, piece by
// piece.
type privateScan struct {
	open    int    // elements that are open at the end of the passed text
	pending []byte // its end, where a tag may have begun
}

// pass follows one piece. A tag that begins at its end may end in the following text,
// which is the next piece, or at the last the text that is kept.
func (s *privateScan) pass(piece, next []byte) {
	const reach = len(privateEndTag) - 1 // how far a tag goes beyond where it begins
	if len(piece) <= reach {
		piece = append(s.pending, piece...)
		s.pending = nil
	} else if len(s.pending) > 0 {
		s.count(append(s.pending, piece[:reach]...), len(s.pending))
	}
	counted := max(0, len(piece)-reach)
	s.count(piece, counted)
	if next != nil {
		end := append(piece[counted:len(piece):len(piece)], next[:min(len(next), reach)]...)
		s.count(end, len(piece)-counted)
		counted = len(piece)
	}
	s.pending = append(make([]byte, 0, 2*reach), piece[counted:]...)
}

// count counts the tags that begin before the given position.
func (s *privateScan) count(text []byte, begins int) {
	for i := 0; i < begins; i++ {
		at := bytes.IndexByte(text[i:begins], '<')
		if at < 0 {
			return
		}
		i += at
		switch {
		case hasFoldPrefix(text[i:], privateEndTag):
			s.open = max(0, s.open-1)
		case hasFoldPrefix(text[i:], privateTag):
			s.open++
		}
	}
}

func hasFoldPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && bytes.EqualFold(text[:len(prefix)], []byte(prefix))
}
