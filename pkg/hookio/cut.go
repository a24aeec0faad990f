package hookio

import (
	"strconv"
	"unicode/utf8"
)

// markerRoom is the most bytes of the marker: "…[" + 19 digits + " bytes cut]…".
const markerRoom = 3 + 1 + 19 + 11 + 3

// headAndTail splits a limit: two thirds for the head, where commands and
// errors begin, one third for the tail, where results end.
func headAndTail(limit int) (head, tail int) {
	room := max(0, limit-markerRoom)
	tail = room / 3
	return room - tail, tail
}

// shrink throws away the middle of the string being read when it has grown well
// past limit, keeping the head and enough of the tail. The slack of one chunk
// makes the copying linear in the length of the string.
func (d *decoder) shrink(limit int) {
	limit = max(0, limit)
	if len(d.scratch) <= limit+fullChunk {
		return
	}
	head, tail := headAndTail(limit)
	from := len(d.scratch) - tail
	d.dropped += from - head
	d.private.pass(d.scratch[head:from], nil)
	d.scratch = append(d.scratch[:head], d.scratch[from:]...)
}

// finish turns the scratch into a value of at most limit bytes.
func (d *decoder) finish(limit int) Value {
	limit = max(0, limit)
	if d.dropped == 0 {
		text := replaceInvalid(d.scratch)
		if len(text) <= limit {
			return Value{Kind: String, Text: text}
		}
		return Value{Kind: String, Cut: true, Text: d.join(text, text, 0, limit)}
	}
	// Everything after the head is tail now; shrink has cut the bytes between.
	head, _ := headAndTail(limit)
	return Value{
		Kind: String, Cut: true,
		Text: d.join(string(d.scratch[:head]), string(d.scratch[head:]), d.dropped+len(d.scratch), limit),
	}
}

// join puts the beginning of front and the end of back around a marker. length is that of the
// whole text; 0 means that front is the whole text. If the cut part opens a <private> tag and
// does not close it, the tag is put after the marker, so that the private text behind it
// stays private.
func (d *decoder) join(front, back string, length, limit int) string {
	if length == 0 {
		length = len(front)
	}
	if limit < minStringBytes {
		return ""
	}
	head, tail := headAndTail(limit)
	start := replaceInvalid([]byte(wholeRunesBefore(front, head)))
	end := replaceInvalid([]byte(wholeRunesAfter(back, len(back)-tail)))
	// Replacing an invalid byte makes the text longer.
	start = wholeRunesBefore(start, head)
	end = wholeRunesAfter(end, len(end)-tail)
	cut := max(0, length-len(start)-len(end))
	middle := back[:len(back)-len(end)]
	if front == back { // the whole text stands in both
		middle = middle[min(len(start), len(middle)):]
	}
	d.private.pass([]byte(middle), []byte(end))
	if d.private.open > 0 {
		end = privateTag + ">" + wholeRunesAfter(end, min(len(end), len(privateTag)+1)) // within the limit
	}
	return start + "…[" + strconv.Itoa(cut) + " bytes cut]…" + end
}

// wholeRunesBefore is s[:at] without a character that at would split.
func wholeRunesBefore(s string, at int) string {
	at = min(at, len(s))
	for back := range min(utf8.UTFMax, at) {
		i := at - 1 - back
		if !utf8.RuneStart(s[i]) {
			continue
		}
		if i+runeWidth(s[i]) > at {
			return s[:i]
		}
		break
	}
	return s[:at]
}

// wholeRunesAfter is s[at:] without the rest of a character that at splits.
func wholeRunesAfter(s string, at int) string {
	at = max(0, at)
	if at == 0 {
		return s
	}
	for range utf8.UTFMax - 1 {
		if at < len(s) && !utf8.RuneStart(s[at]) {
			at++
		}
	}
	return s[at:]
}

// runeWidth is how many bytes a character takes that starts with c.
func runeWidth(c byte) int {
	switch {
	case c >= 0xF0:
		return 4
	case c >= 0xE0:
		return 3
	case c >= 0xC0:
		return 2
	}
	return 1
}

// replaceInvalid makes text of raw bytes: each byte that is not part of valid
// UTF-8 becomes U+FFFD, as encoding/json does it.
func replaceInvalid(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	out := make([]byte, 0, len(raw)+16)
	for len(raw) > 0 {
		r, width := utf8.DecodeRune(raw)
		out = utf8.AppendRune(out, r)
		raw = raw[width:]
	}
	return string(out)
}
