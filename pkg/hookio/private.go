package hookio

import (
	"bytes"
)

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
	told := max(0, len(piece)-reach)
	s.count(piece, told)
	if next != nil {
		end := append(piece[told:len(piece):len(piece)], next[:min(len(next), reach)]...)
		s.count(end, len(piece)-told)
		told = len(piece)
	}
	s.pending = append(make([]byte, 0, 2*reach), piece[told:]...)
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
