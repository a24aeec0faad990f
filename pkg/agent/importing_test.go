package agent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

var importedProject = memory.Project{Key: "p", Name: "p", Root: "/p"}

func importedNote(n int, content string) memory.Event {
	at := noon.AddDate(-1, 0, n)
	id := memory.NewImportID("test", fmt.Sprint(n))
	return memory.Event{
		ID: id, At: at, Kind: memory.EventImported, Session: "s1", Project: importedProject, Import: &memory.Import{
			Memory:   &memory.Memory{Kind: memory.KindNote, Content: content, CreatedAt: at, LastSeenAt: at},
			Sighting: &memory.Sighting{ID: id, At: at},
		},
	}
}

func importedSession(summary string) memory.Event {
	at := noon.AddDate(-1, 1, 0)
	return memory.Event{
		ID: memory.NewImportID("test", "session", summary), At: at, Kind: memory.EventImported, Session: "s1", Project: importedProject,
		Import: &memory.Import{Session: &memory.Session{
			ID: "s1", Dir: "/p", State: memory.SessionSummarising, StateAt: at, StartedAt: noon.AddDate(-1, 0, 0), LastEventAt: at, EndedAt: at,
			Summary: memory.Summary{Text: summary},
		}},
	}
}

func TestWhatTheStoreRefusesOfAnImportDoesNotHoldUpTheRest(t *testing.T) {
	a, store, _ := newAgent(t)
	store.fail = func(b memory.Batch) error {
		for _, m := range b.Memories {
			if strings.Contains(m.Content, "poison") {
				return errors.New("refused")
			}
		}
		return nil
	}
	var events []memory.Event
	for n := range 10 {
		events = append(events, importedNote(n, fmt.Sprint("fact ", n)))
	}
	events[7] = importedNote(7, "poison")
	invalid := importedNote(11, "")
	result, err := a.Intake.Import(t.Context(), agentapi.ImportParams{Events: append(events, invalid)})
	if err != nil || result.Events != 9 || len(result.Refused) != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	if result.Refused[0].ID != invalid.ID || result.Refused[1].ID != events[7].ID {
		t.Errorf("refused %+v", result.Refused)
	}
	if s, err := store.Stats(t.Context()); err != nil || s.Memories != 9 || s.Sightings != 9 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAnImportIntoAStoreThatIsGoneMayBeTriedAgain(t *testing.T) {
	a, store, _ := newAgent(t)
	store.fail = func(memory.Batch) error { return memory.ErrUnavailable }
	params := agentapi.ImportParams{Events: []memory.Event{importedNote(1, "fact"), importedSession("what it came to.")}}
	if result, err := a.Intake.Import(t.Context(), params); !errors.Is(err, memory.ErrUnavailable) || len(result.Refused) != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	store.fail = nil
	if result, err := a.Intake.Import(t.Context(), params); err != nil || result.Added != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAnImportBringsNothingBackThatWasPutAway(t *testing.T) {
	a, store, _ := newAgent(t)
	params := agentapi.ImportParams{Events: []memory.Event{importedNote(1, "fact")}}
	if _, err := a.Intake.Import(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	id := memory.NewID(memory.ScopeProject, "p", "fact")
	if _, _, err := store.Amend(t.Context(), id, memory.Change{ID: "c", At: noon, Status: memory.StatusArchived}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Intake.Import(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	if m, err := store.Memory(t.Context(), id); err != nil || m.Status != memory.StatusArchived {
		t.Errorf("the memory is %s, %v", m.Status, err)
	}
}

func TestAnImportedSummaryStaysUntilTheSessionGoesOn(t *testing.T) {
	a, store, spooled := newAgent(t)
	summary := func() string {
		t.Helper()
		session, err := store.Session(t.Context(), "s1")
		if err != nil {
			t.Fatal(err)
		}
		return session.Summary.Text
	}
	if _, err := a.Intake.Import(t.Context(), agentapi.ImportParams{Events: []memory.Event{importedSession("2025: what it came to."), importedNote(1, "fact")}}); err != nil {
		t.Fatal(err)
	}
	if got := summary(); got != "2025: what it came to." {
		t.Errorf("summary %q", got)
	}
	if _, err := a.Intake.Import(t.Context(), agentapi.ImportParams{Events: []memory.Event{importedNote(2, "another fact")}}); err != nil {
		t.Fatal(err)
	}
	if got := summary(); got != "2025: what it came to." {
		t.Errorf("summary %q after more was imported", got)
	}
	for i, e := range []memory.Event{{Kind: memory.EventPrompt, Prompt: "go on"}, {Kind: memory.EventSessionEnded, Reason: "other"}} {
		e.ID, e.At, e.Session, e.Project = memory.NewEventID(noon), noon.Add(time.Duration(i)*time.Minute), "s1", importedProject
		if err := spooled.Put(e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := summary(); !strings.Contains(got, `asked "go on"`) || !strings.Contains(got, "summed up as: 2025: what it came to") {
		t.Errorf("summary %q of a session that went on", got)
	}
}

func TestAnInterruptedImportIsSummedUpByTheNext(t *testing.T) {
	a, store, _ := newAgent(t)
	session := importedSession("2025: what it came to.")
	if _, err := a.Intake.Import(t.Context(), agentapi.ImportParams{Events: []memory.Event{session}}); err != nil {
		t.Fatal(err)
	}
	if err := store.Summarise(t.Context(), "s1", memory.Summary{Text: "stale"}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Intake.Import(t.Context(), agentapi.ImportParams{Events: []memory.Event{session}}); err != nil {
		t.Fatal(err)
	}
	if s, err := store.Session(t.Context(), "s1"); err != nil || s.Summary.Text != "2025: what it came to." || s.State != memory.SessionCompleted {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestKnownSessionsAreThoseOfTheStore(t *testing.T) {
	a, _, _ := newAgent(t)
	if _, err := a.Intake.Import(t.Context(), agentapi.ImportParams{Events: []memory.Event{importedSession("x.")}}); err != nil {
		t.Fatal(err)
	}
	known, err := a.Intake.KnownSessions(t.Context(), []string{"none", "s1"})
	if err != nil || len(known) != 1 || known[0].ID != "s1" {
		t.Errorf("%+v, %v", known, err)
	}
}
