package hookio

import (
	"strconv"
	"strings"
)

const (
	// leastText is the minimum number of bytes that a string is cut to: the marker and some text around it.
	leastText = 192
	// markerRoom is the maximum number of bytes that a marker has: "…[" + 19 digits + " bytes cut]…".
	markerRoom = 3 + 1 + 19 + 11 + 3
)

// hidden are the elements that package redact removes with their content.
var hidden = [...]string{"private", "system-reminder", "surrealdb-memory"}

// cutMiddle shortens a text to at most limit bytes by replacing its middle with a marker, or returns "" if limit is
// less than leastText. Two thirds of the room are for the head, where commands and errors begin, one third for the
// tail, where results end. If the removed middle opens a hidden element without closing it, the tag is put behind the
// marker, so that the element's content in the tail stays hidden.
func cutMiddle(text string, limit int) string {
	if limit < leastText {
		return ""
	}
	room := limit - markerRoom
	head, tail := strings.ToValidUTF8(text[:room-room/3], ""), strings.ToValidUTF8(text[len(text)-room/3:], "") // without half a character
	cut, tags := len(text)-len(head)-len(tail), ""
	for _, name := range hidden {
		from := len(head) // a tag may begin in the head and end in the tail
		if at := strings.LastIndexByte(head, '<'); at >= max(0, from-len(name)) {
			from = at
		}
		if opens(name, text[from:], len(head)+cut-from) {
			tags += "<" + name + ">"
		}
	}
	if tags != "" {
		tail = tags + strings.ToValidUTF8(tail[min(len(tail), len(tags)):], "") // keeps the result within limit
	}
	return head + "…[" + strconv.Itoa(cut) + " bytes cut]…" + tail
}

// opens reports whether, of the tags of an element that begin before a position, more open than close.
func opens(name, text string, before int) bool {
	open := 0
	for i := 0; ; i++ {
		next := strings.IndexByte(text[i:before], '<')
		if next < 0 {
			return open > 0
		}
		i += next
		switch {
		case hasFoldPrefix(text[i+1:], "/"+name):
			open = max(0, open-1)
		case hasFoldPrefix(text[i+1:], name):
			open++
		}
	}
}

func hasFoldPrefix(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}
