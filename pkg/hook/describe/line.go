package describe

import (
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Line identifies a line of a transcript in all its copies: clients copy the history of a session into the sessions
// that resume or fork it.
type Line struct {
	// History names the session that the line was first written in, in which ID is unique. Without History a UUID is
	// unique everywhere. Any other ID is unique together with At and the text, or, if At is zero, in the event's session.
	History string
	ID      string
	At      time.Time
	ByText  bool // ID is unique only together with the text
}

// Identified returns the event with an ID that is the same each time and in each copy of the line, so a copied line is
// stored once. ids distinguish several events of a line. The ID is a hash of the redacted text: by a hash of the whole
// text somebody could test guesses of a secret.
func (l Line) Identified(event memory.Event, ids ...string) memory.Event {
	parts := []string{l.History, string(event.Kind), l.ID}
	switch {
	case l.History != "":
	case isUUID(l.ID):
		parts[0] = "anywhere"
	case l.At.IsZero():
		parts[0] = event.Session
	default:
		parts[0], l.ByText = l.At.UTC().Format(time.RFC3339Nano), true
	}
	if l.ByText {
		parts = append(parts, event.Prompt, event.Text)
	}
	event.ID = memory.NewImportID("transcript", append(parts, ids...)...)
	return event
}

func isUUID(id string) bool { return len(id) == 36 && strings.Count(id, "-") == 4 }
