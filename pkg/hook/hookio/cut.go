package hookio

import (
	"strconv"
	"strings"
)

const (
	// leastText is the minimum number of bytes that a string is cut to: the marker and some text around it.
	leastText = 64
	// markerRoom is the maximum number of bytes that a marker has: "…[" + 19 digits + " bytes cut]…".
	markerRoom = 3 + 1 + 19 + 11 + 3

	privateTag    = "<private"
	privateEndTag = "</private"
)

// cutMiddle shortens a text to at most limit bytes by replacing its middle with a marker, or returns "" if limit is
// less than leastText. Two thirds of the room are for the head, where commands and errors begin, one third for the
// tail, where results end. If the removed middle opens a <private> tag without closing it, the tag is put behind the
// marker, so that the private text in the tail stays private.
func cutMiddle(text string, limit int) string {
	if limit < leastText {
		return ""
	}
	room := limit - markerRoom
	head, tail := strings.ToValidUTF8(text[:room-room/3], ""), strings.ToValidUTF8(text[len(text)-room/3:], "") // without half a character
	cut := len(text) - len(head) - len(tail)
	// A tag that begins in the middle may end in the tail.
	if opensPrivate(text[len(head):], cut) {
		tail = privateTag + ">" + strings.ToValidUTF8(tail[min(len(tail), len(privateTag)+1):], "") // keeps the result within limit
	}
	return head + "…[" + strconv.Itoa(cut) + " bytes cut]…" + tail
}

// opensPrivate reports whether, of the private tags that begin before a position, more open than close.
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
