package distill

import "strings"

// Line is a standing memory in a question. Its text begins with an id that is unique in the question.
type Line struct {
	ID, Area, Text string
	Open           bool // work to do, which a session may end
}

// isNamed reports whether id, from an answer, is this line's id as shown, or a longer form of it.
func (l Line) isNamed(id string) bool {
	shown, _, _ := strings.Cut(l.Text, " ")
	return strings.HasPrefix(id, shown) && strings.HasPrefix(l.ID, id)
}

func heading(area string) string { return area + ":\n" }

const (
	standingBegins = "\n<standing>\n"
	standingEnds   = "</standing>\n"
)
