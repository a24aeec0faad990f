package distill

import "strings"

// Line is a standing memory as a question shows it. Its text begins with an id that is
// unique among the lines of the question.
type Line struct {
	ID, Area, Text string
	Open           bool // work to do, or how things stand: a session may end it
}

// isNamed reports whether an answer's id is that of the line: as shown, or longer.
func (l Line) isNamed(id string) bool {
	shown, _, _ := strings.Cut(l.Text, " ")
	return strings.HasPrefix(id, shown) && strings.HasPrefix(l.ID, id)
}

func heading(area string) string { return area + ":\n" }

// The lines around standing memories.
const (
	standingBegins = "\n<standing>\n"
	standingEnds   = "</standing>\n"
)
