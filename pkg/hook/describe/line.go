package describe

import (
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Line names a line of a transcript wherever it stands: clients copy the history of a session into
// others that go on from there, when it is resumed or forked.
type Line struct {
	// History is the scope in which ID is unique, the same in each copy. Empty: ID is unique if it is a UUID, or with
	// At and the text.
	History string
	ID      string
	At      time.Time
	ByText  bool // ID is unique with the text only
}

// Identified gives an event of the line the id that it has each time, and in each copy; ids distinguish several
// events of a line. So a copied line is stored once. The text is in the id in its stored form, without
// private parts: an id must not confirm a guess of them.
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
