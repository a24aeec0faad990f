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
