package mailbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// rowSet is a set of rows, by their hashes.
type rowSet map[[sha256.Size]byte]bool

// add adds the rows of a letter, without its header.
func (r rowSet) add(text []byte) {
	_, rows, _ := bytes.Cut(text, []byte("\n"))
	for row := range bytes.Lines(rows) {
		r[sha256.Sum256(row)] = true
	}
}

// letterWriter is an io.Writer for an export, which calls Write for each line. It packs the rows that are in no
// letter yet into letters, and sends each full letter.
type letterWriter struct {
	known rowSet
	most  int                     // bytes from which a letter counts as full
	send  func(text []byte) error // sends a letter
	next  func() error            // prepares for another letter
	text  bytes.Buffer
	head  []byte // the header and the projects, which every letter needs
	rows  int    // number of new rows in this letter
	sent  int    // number of new rows in earlier letters
}

// Write adds a line to the letter, if it is new. The header and the projects are in every letter, but a letter with
// nothing else is not sent: the projects' times change with every session, which is no news.
func (l *letterWriter) Write(line []byte) (int, error) {
	switch {
	case l.text.Len() == 0 || isIn(line, memory.SectionProject):
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

// end sends the letter if it has new rows.
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

// isIn reports whether a line belongs to a section. The section must be its first JSON field.
func isIn(line []byte, section memory.Section) bool {
	return bytes.HasPrefix(line, []byte(`{"kind":"`+string(section)+`"`))
}

// withdrawal is a line of a letter. It names the letters that were removed from the repository after a purge.
type withdrawal struct {
	Kind    memory.Section `json:"kind"`
	Letters []string       `json:"letters"`
}

// withdrawn returns the names of the letters that a letter withdraws.
func withdrawn(text []byte) (names []string) {
	for _, line := range linesOf(text, memory.SectionWithdrawn) {
		var one withdrawal
		if json.Unmarshal(line, &one) == nil {
			names = append(names, one.Letters...)
		}
	}
	return names
}

func linesOf(text []byte, section memory.Section) (lines [][]byte) {
	for line := range bytes.Lines(text) {
		if isIn(line, section) {
			lines = append(lines, line)
		}
	}
	return lines
}
