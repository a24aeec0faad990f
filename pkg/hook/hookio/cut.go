package hookio

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// leastText is the least bytes of a string that is kept: room for the marker and something around it.
	leastText = 64
	// markerRoom is the most bytes of the marker: "…[" + 19 digits + " bytes cut]…".
	markerRoom = 3 + 1 + 19 + 11 + 3

	privateTag    = "<private"
	privateEndTag = "</private"
)

// cutMiddle returns a text of at most limit bytes: head and tail of the text around a marker, or nothing if the limit has no
// room for these. Two thirds are the head, where commands and errors begin, one third is the tail, where results
// end. If the middle opens a <private> tag and does not close it, the tag is put after the marker, so that the private text
// behind it stays private.
func cutMiddle(text string, limit int) string {
	if limit < leastText {
		return ""
	}
	room := limit - markerRoom
	head, tail := wholeRunesBefore(text, room-room/3), wholeRunesAfter(text, len(text)-room/3)
	cut := len(text) - len(head) - len(tail)
	// A tag that begins in the middle may end in the tail.
	if opensPrivate(text[len(head):], cut) {
		tail = privateTag + ">" + wholeRunesAfter(tail, min(len(tail), len(privateTag)+1)) // within the limit
	}
	return head + "…[" + strconv.Itoa(cut) + " bytes cut]…" + tail
}

// opensPrivate reports whether more private tags are opened than closed among those that begin before the given position.
func opensPrivate(text string, before int) bool {
	open := 0
	for i := 0; ; i++ {
		next := strings.IndexByte(text[i:before], '<')
		if next < 0 {
			return open > 0
		}
		i += next
		switch {
		case hasFoldPrefix(text[i:], privateEndTag):
			open = max(0, open-1)
		case hasFoldPrefix(text[i:], privateTag):
			open++
		}
	}
}

func hasFoldPrefix(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// wholeRunesBefore returns text[:at] without a character that at would split.
func wholeRunesBefore(text string, at int) string {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at]
}

// wholeRunesAfter returns text[at:] without the rest of a character that at splits.
func wholeRunesAfter(text string, at int) string {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}
