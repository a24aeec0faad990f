package mailbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// rowSet holds the hashes of the rows of letters.
type rowSet map[[sha256.Size]byte]bool

// add adds the rows of a letter, without its header.
func (r rowSet) add(text []byte) {
	_, rows, _ := bytes.Cut(text, []byte("\n"))
	for row := range bytes.Lines(rows) {
		r[sha256.Sum256(row)] = true
	}
}

// letterWriter makes letters of the rows of an export that no letter has. It is written to a
// line at a time. A letter that is full is sent.
type letterWriter struct {
	known rowSet
	most  int                     // bytes of a letter, about
	send  func(text []byte) error // sends a letter
	next  func() error            // makes another one possible
	text  bytes.Buffer
	head  []byte // the header and the projects, which later rows need
	rows  int    // that are new, of this letter
	sent  int    // likewise, of those before it
}

// Write takes a line. The header and the projects, which later rows need, are in every
// letter: their times change with every session, and alone they are no news.
func (l *letterWriter) Write(line []byte) (int, error) {
	switch {
	case l.text.Len() == 0 || isProject(line):
		l.head = append(l.head, line...)
	case l.known[sha256.Sum256(line)]:
		return len(line), nil
	default:
		if l.rows > 0 && l.text.Len()+len(line) > l.most {
			if err := l.end(); err != nil {
				return 0, err
			}
			if err := l.next(); err != nil {
				return 0, err
			}
			l.text.Reset()
			l.text.Write(l.head)
		}
		l.rows++
	}
	return l.text.Write(line)
}

// end sends the letter, if it has something new.
func (l *letterWriter) end() error {
	if l.rows == 0 {
		return nil
	}
	if err := l.send(l.text.Bytes()); err != nil {
		return err
	}
	l.sent, l.rows = l.sent+l.rows, 0
	return nil
}

func isProject(line []byte) bool {
	var row struct {
		Kind memory.Section `json:"kind"`
	}
	return json.Unmarshal(line, &row) == nil && row.Kind == memory.SectionProject
}
