package main

import (
	"bytes"
	"encoding/json"
)

// longestID is the longest id of a request that is found in a message that is too long,
// in bytes.
const longestID = 128

// idFinder finds the id of a request in a message that is not kept: it is fed with the
// message piece by piece. Clients write the id behind the long parts of a message.
type idFinder struct {
	id []byte // as it stands there; nil: none yet

	depth             int  // of objects and lists
	inString, escaped bool // after a backslash
	name, text        []byte
	isLong            bool // the text is not all of it
}

func (f *idFinder) feed(part []byte) {
	for _, c := range part {
		switch {
		case f.inString:
			f.keep(c)
			f.inString = f.escaped || c != '"'
			f.escaped = !f.escaped && c == '\\'
		case c == '"':
			f.keep(c)
			f.inString = true
		case c == '{' || c == '[':
			f.depth++
		case c == '}' || c == ']':
			f.end()
			f.depth--
		case c == ',':
			f.end()
		case c == ':' && f.depth == 1:
			f.name, f.text = bytes.Clone(f.text), f.text[:0]
		default:
			f.keep(c)
		}
	}
}

// keep adds to the name or the value that is being read of the message itself.
func (f *idFinder) keep(c byte) {
	if f.depth != 1 {
		return
	}
	if f.isLong = f.isLong || len(f.text) == longestID; !f.isLong {
		f.text = append(f.text, c)
	}
}

// end is the end of a member.
func (f *idFinder) end() {
	if f.depth != 1 {
		return
	}
	value := bytes.TrimSpace(f.text)
	isID := string(bytes.TrimSpace(f.name)) == `"id"` && !f.isLong && json.Valid(value)
	if isID && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9') {
		f.id = bytes.Clone(value)
	}
	f.name, f.text, f.isLong = nil, f.text[:0], false
}
