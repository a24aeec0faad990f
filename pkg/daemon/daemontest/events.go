package daemontest

import (
	"fmt"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// ImportedProject is the project of imported events.
var ImportedProject = memory.Project{Key: "p", Name: "p", Root: "/p"}

// ImportedNote returns an event with an imported note.
func ImportedNote(n int, content string) memory.Event {
	at := Noon.AddDate(-1, 0, n)
	id := memory.NewImportID("test", fmt.Sprint(n))
	return memory.Event{
		ID: id, At: at, Kind: memory.EventImported, Session: "s1", Project: ImportedProject, Import: &memory.Import{
			Memory:   &memory.Memory{Kind: memory.KindNote, Content: content, CreatedAt: at, LastSeenAt: at},
			Sighting: &memory.Sighting{ID: id, At: at},
		},
	}
}

// ImportedSession returns an event with an imported session and its summary.
func ImportedSession(summary string) memory.Event {
	at := Noon.AddDate(-1, 1, 0)
	return memory.Event{
		ID: memory.NewImportID("test", "session", summary), At: at, Kind: memory.EventImported, Session: "s1", Project: ImportedProject,
		Import: &memory.Import{Session: &memory.Session{
			ID: "s1", Dir: "/p", State: memory.SessionSummarising, StateAt: at, StartedAt: Noon.AddDate(-1, 0, 0), LastEventAt: at, EndedAt: at,
			Summary: memory.Summary{Text: summary},
		}},
	}
}

// Failed returns an event of a failed command.
func Failed(n int, command string) memory.Event {
	e := Event(n, memory.EventCommandFailed)
	e.Command, e.Error = command, "Exit code 1\nundefined: x"
	return e
}

// Noted returns an event of a note that a person asks to keep.
func Noted(n int, text string) memory.Event {
	e := Stored(n, text)
	e.ByUser = true
	return e
}

// Stored returns an event of a note that the assistant asks to keep.
func Stored(n int, text string) memory.Event {
	e := Event(n, memory.EventRemembered)
	e.RememberedKind, e.Text = memory.KindNote, text
	return e
}

// Kept spools an event and returns the memory made of it.
func Kept(t *testing.T, a *Fixture, e memory.Event) memory.Memory {
	t.Helper()
	Put(t, a.Spools[0], e)
	kept, err := a.Intake.IngestOne(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return kept.Memory
}

// Found returns the contents of the memories that Find returns.
func Found(t *testing.T, a *Fixture, p daemonapi.FindParams) []string {
	t.Helper()
	p.Project, p.Limit = "p", 10
	hits, err := a.Answers.Find(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	contents := []string{}
	for _, hit := range hits {
		contents = append(contents, hit.Memory.Content)
	}
	return contents
}

// Changed applies the n-th change to a memory and returns the memory after it.
func Changed(t *testing.T, a *Fixture, id string, n int, c memory.Change) memory.Memory {
	t.Helper()
	c.ID, c.At, c.By = fmt.Sprint("change-", n), Noon.Add(time.Duration(n)*time.Hour), memory.ByPerson
	result, err := a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: c})
	if err != nil {
		t.Fatal(err)
	}
	return result.After
}
