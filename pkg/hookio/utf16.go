package hookio

import (
	"bufio"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// UTF16 reads a text in UTF-16, the higher byte of each unit first if it is big, as UTF-8. A lone
// surrogate and half a unit at the end become U+FFFD; a byte order mark stays.
func UTF16(r io.Reader, big bool) io.Reader { return &wideReader{r: r, big: big} }

type wideReader struct {
	r    io.Reader
	big  bool
	err  error  // of r
	raw  []byte // read and not yet converted
	out  []byte // converted and not yet read
	high rune   // a high surrogate that waits for its other half
}

// Read implements io.Reader.
func (w *wideReader) Read(p []byte) (int, error) {
	for tries := 0; len(w.out) == 0; tries++ {
		if w.err != nil {
			return 0, w.err
		}
		if tries == 100 {
			return 0, io.ErrNoProgress
		}
		chunk := make([]byte, 8<<10)
		n, err := w.r.Read(chunk)
		w.raw, w.err = append(w.raw, chunk[:n]...), err
		w.convert()
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}

func (w *wideReader) convert() {
	for ; len(w.raw) >= 2; w.raw = w.raw[2:] {
		unit := rune(w.raw[0]) | rune(w.raw[1])<<8
		if w.big {
			unit = rune(w.raw[0])<<8 | rune(w.raw[1])
		}
		if pair := utf16.DecodeRune(w.high, unit); pair != utf8.RuneError {
			w.out, w.high = utf8.AppendRune(w.out, pair), 0
			continue
		}
		w.flush()
		if w.high = unit; unit < 0xD800 || unit >= 0xDC00 {
			w.flush()
		}
	}
	if w.err != nil {
		w.flush()
		if len(w.raw) > 0 {
			w.out, w.raw = utf8.AppendRune(w.out, utf8.RuneError), nil
		}
	}
}

// flush writes the unit that waits, if one does; a surrogate becomes U+FFFD.
func (w *wideReader) flush() {
	if w.high != 0 {
		w.out, w.high = utf8.AppendRune(w.out, w.high), 0
	}
}

// asUTF8 reads a text as UTF-8 without its byte order marks. A text in UTF-16, as some shells write to a program, is
// known by its mark or by the zero byte beside its first character, which must be in ASCII.
func asUTF8(r io.Reader) *bufio.Reader {
	head := bufio.NewReader(r)
	start, _ := head.Peek(2) // a shorter text has none of it
	switch {
	case len(start) < 2:
	case start[0] == 0xFE && start[1] == 0xFF, start[0] == 0:
		head = bufio.NewReader(UTF16(head, true))
	case start[0] == 0xFF && start[1] == 0xFE, start[1] == 0:
		head = bufio.NewReader(UTF16(head, false))
	}
	for {
		if first, _ := head.Peek(1); string(first) != "\xef" {
			return head
		}
		if mark, _ := head.Peek(3); string(mark) != "\ufeff" {
			return head
		}
		_, _ = head.Discard(3) // they were peeked at
	}
}
