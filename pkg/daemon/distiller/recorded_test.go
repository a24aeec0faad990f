package distiller_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// The recorded sessions, with a model's answers to each question about them, and the memories kept from these.
const (
	recordedSessions = "../../../testdata/distill/*.txtar"
	recordedKept     = "../../../testdata/distill/kept.txt"
)

// recordedSession is one of them. A line of its session is "user:", "assistant:", "edited:" or "compacted:" with a text, a minute
// after the one before it; the last line is the reason of its end.
type recordedSession struct {
	name    string
	lines   []string
	answers []string
}

func recorded(t *testing.T) []recordedSession {
	t.Helper()
	files, err := filepath.Glob(recordedSessions)
	if err != nil || len(files) != 10 {
		t.Fatalf("%d recorded sessions, %v", len(files), err)
	}
	var all []recordedSession
	for _, file := range files {
		archive := musttest.Get(txtar.ParseFile(file))(t)
		one := recordedSession{name: strings.TrimSuffix(filepath.Base(file), ".txtar")}
		for _, f := range archive.Files {
			if f.Name == "session" {
				one.lines = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
			} else {
				one.answers = append(one.answers, string(f.Data))
			}
		}
		all = append(all, one)
	}
	return all
}

// events are the events that hooks capture of the session, from a time on.
func (r recordedSession) events(t *testing.T, at time.Time) []memory.Event {
	t.Helper()
	var all []memory.Event
	add := func(fill func(*memory.Event)) {
		e := memory.Event{ID: memory.NewEventID(at), At: at, Session: r.name, Project: memory.Project{Key: "p", Name: "ferry", Root: "/p"}, Dir: "/p"}
		fill(&e)
		all, at = append(all, e), at.Add(time.Minute)
	}
	add(func(e *memory.Event) { e.Kind, e.Source = memory.EventSessionStarted, "startup" })
	for _, line := range r.lines {
		kind, text, _ := strings.Cut(line, ": ")
		switch kind {
		case "user":
			add(func(e *memory.Event) { e.Kind, e.Prompt = memory.EventPrompt, text })
		case "assistant":
			add(func(e *memory.Event) { e.Kind, e.Text = memory.EventTurnEnded, text })
		case "edited":
			add(func(e *memory.Event) {
				e.Kind, e.Tool, e.File, e.After = memory.EventFileChanged, "Write", text, "changed"
			})
		case "compacted":
			add(func(e *memory.Event) { e.Kind = memory.EventCompacting })
			add(func(e *memory.Event) { e.Kind, e.Text = memory.EventCompacted, text })
		case "ended":
			add(func(e *memory.Event) { e.Kind, e.Reason = memory.EventSessionEnded, "other" })
		case "abandoned":
		default:
			t.Fatalf("%s: %q is no line of a session", r.name, line)
		}
	}
	return all
}

// answering gives the recorded answers in their order. A fact in {{}} stands for the id in the question.
func answering(t *testing.T, all []recordedSession) func(distill.Question) (distill.Reply, error) {
	var answers []string
	for _, r := range all {
		answers = append(answers, r.answers...)
	}
	return func(q distill.Question) (distill.Reply, error) {
		if len(answers) == 0 {
			t.Errorf("no answer is recorded to\n%s", q.Prompt)
			return distill.Reply{}, distill.ErrAnswer
		}
		text := answers[0]
		answers = answers[1:]
		for {
			before, rest, is := strings.Cut(text, "{{")
			content, after, ends := strings.Cut(rest, "}}")
			if !is || !ends {
				return distill.Reply{Text: []byte(text), Usage: distill.Usage{Reported: true, Input: 900, Output: 200}}, nil
			}
			id := daemontest.ShownID(q, content)
			if id == "" {
				t.Errorf("%q is not in\n%s", content, q.Prompt)
			}
			text = before + id + after
		}
	}
}

// Ten sessions with answers as a good model gives them, good and bad facts among them,
// go through everything between a captured event and a kept fact.
func TestTenRecordedAnswersAreKeptAsTheyDeserve(t *testing.T) {
	all := recorded(t)
	a, model, s := distilling(t, answering(t, all))
	a.Counter = daemontest.ExactCounter(t)
	begins := daemontest.Noon
	now := daemontest.Noon
	a.Now = func() time.Time { return now }
	for _, one := range all {
		events := one.events(t, begins)
		now = events[len(events)-1].At.Add(time.Hour)
		live(t, a, s, events...)
		begins = begins.Add(5 * time.Hour)
	}
	now = now.AddDate(0, 0, 2) // the last one was left alone
	musttest.Get(a.Upkeep.Consolidate(t.Context(), daemonapi.ConsolidateParams{Trigger: "manual", Job: "close"}))(t)
	workOff(t, a)

	var kept strings.Builder
	for _, one := range all {
		describeKept(t, a, one.name, &kept)
	}
	if *daemontest.Update {
		musttest.Do(t, os.WriteFile(recordedKept, []byte(kept.String()), 0o600))
	}
	want := musttest.Get(os.ReadFile(recordedKept))(t)
	musttest.Same(t, string(want), kept.String(), "%s (-recorded +kept; -update writes it)", recordedKept)
	if calls, tokens := spentOn(t, a); calls != model.Calls() || tokens != model.Spent || calls != 11 {
		t.Errorf("%d calls with %d tokens are noted, %d with %d were made", calls, tokens, model.Calls(), model.Spent)
	}
}

// describeKept writes the memories of a session that a model wrote.
func describeKept(t *testing.T, a *daemontest.Fixture, id string, w *strings.Builder) {
	t.Helper()
	record := musttest.Get(memory.RecordOf(t.Context(), a.Store, id))(t)
	row := queueOf(t, a, id)
	fmt.Fprintf(w, "# %s: %s, asked because of %s, the session is %s\n", id, row.State, row.Trigger, record.Session.State)
	for _, field := range record.Session.Summary.Digest.Fields() {
		fmt.Fprintf(w, "%s: %s\n", field[0], field[1])
	}
	for _, seen := range record.Seen {
		m := seen.Memory
		if !slices.Contains(m.Tags, memory.TagModel) {
			continue
		}
		rows, err := a.Store.Rows(t.Context(), memory.WithIDs{m.ID})
		if err != nil || len(rows) != 1 {
			t.Fatalf("%v: %+v", err, rows)
		}
		fmt.Fprintf(w, "- %s: %s\n", m.Kind, m.Content)
		if !strings.HasPrefix(m.Detail, `"`) || m.Source != memory.SourceAssistant || m.Session != id && rows[0].SupersededBy == "" && len(rows[0].DerivedFrom) == 0 {
			t.Errorf("%q is kept as %+v", m.Content, m)
		}
		if len(m.Cues) > 0 {
			fmt.Fprintf(w, "    to be injected for %s\n", strings.Join(m.Cues, "; "))
		}
		for _, from := range rows[0].DerivedFrom {
			fmt.Fprintf(w, "    from %s\n", contentOf(t, a, from))
		}
		if by := rows[0].SupersededBy; by != "" {
			fmt.Fprintf(w, "    superseded by %s\n", contentOf(t, a, by))
		}
	}
	for _, note := range row.Notes {
		fmt.Fprintf(w, "dropped %s\n", note)
	}
	w.WriteByte('\n')
}

func contentOf(t *testing.T, a *daemontest.Fixture, id string) string {
	t.Helper()
	m := musttest.Get(memory.Find(t.Context(), a.Store, id))(t)
	return fmt.Sprintf("%s %q", m.Kind, memory.CutOnce(memory.OneLine(m.Content), 90))
}

func queueOf(t *testing.T, a *daemontest.Fixture, session string) memory.Distillation {
	t.Helper()
	found, err := a.Store.Distillations(t.Context(), memory.DistillationQuery{
		Sessions: []string{session},
		States:   []memory.DistillationState{memory.DistillationWaiting, memory.DistillationRunning, memory.DistillationDone, memory.DistillationDead},
	})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v: %+v", err, found)
	}
	return found[0]
}
