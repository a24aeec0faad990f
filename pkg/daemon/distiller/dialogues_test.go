package distiller_test

import (
	"encoding/json"
	"fmt"
	"maps"
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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// dialogue is some sessions of a person who changes some rules, with the facts that a model wrote of each.
type dialogue struct {
	sessions []dialogueSession
}

type dialogueSession struct {
	id    string
	lines []string
	facts []dialogueFact
}

// dialogueFact is about a subject: of two facts about one the later holds.
type dialogueFact struct{ Subject, Title, Text, Kind, Area, Quote string }

func dialogueOf(t *testing.T, file string) dialogue {
	t.Helper()
	archive := musttest.Get(txtar.ParseFile(file))(t)
	var d dialogue
	for i := 0; i+1 < len(archive.Files); i += 2 {
		s := dialogueSession{id: memory.NewEventID(daemontest.Noon.AddDate(0, 0, -i)), lines: strings.Split(strings.TrimSpace(string(archive.Files[i].Data)), "\n")}
		if err := json.Unmarshal(archive.Files[i+1].Data, &s.facts); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		d.sessions = append(d.sessions, s)
	}
	return d
}

// events are those of a session, two days after the one before it.
func (d dialogue) events(n int) []memory.Event {
	var all []memory.Event
	at := daemontest.Noon.AddDate(0, 0, 2*n)
	add := func(fill func(*memory.Event)) {
		at = at.Add(time.Minute)
		e := memory.Event{ID: memory.NewEventID(at), At: at, Session: d.sessions[n].id, Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Dir: "/p"}
		fill(&e)
		all = append(all, e)
	}
	for _, line := range d.sessions[n].lines {
		who, text, _ := strings.Cut(line, ": ")
		add(func(e *memory.Event) {
			if e.Kind, e.Prompt = memory.EventPrompt, text; who == "assistant" {
				e.Kind, e.Prompt, e.Text = memory.EventTurnEnded, "", text
			}
		})
	}
	add(func(e *memory.Event) { e.Kind, e.Reason = memory.EventSessionEnded, "other" })
	return all
}

// answer is the recorded answer: the facts of which the quote stands in the session. Each names the shown lines about
// the same subject, whichever was said first.
func (d dialogue) answer(q distill.Question) (distill.Reply, error) {
	shown, session, _ := strings.Cut(q.Prompt, "<session>")
	facts := []map[string]any{}
	for _, s := range d.sessions {
		for _, f := range s.facts {
			if !strings.Contains(session, f.Quote) {
				continue
			}
			about, relation, ends := "", "", []string{}
			for _, other := range d.about(f.Subject) {
				switch id := daemontest.ShownID(distill.Question{Prompt: shown}, other.Title); {
				case id == "":
				case other.Text == f.Text:
					about, relation = id, "confirms"
				case !slices.Contains(ends, id):
					ends = append(ends, id)
				}
			}
			if about == "" && len(ends) > 0 {
				about, relation, ends = ends[0], "supersedes", ends[1:]
			}
			facts = append(facts, map[string]any{
				"text": f.Text, "title": f.Title, "kind": f.Kind, "area": f.Area, "quotes": []string{f.Quote}, "importance": 3,
				"about": about, "relation": relation, "ends": ends,
			})
		}
	}
	text, err := json.Marshal(map[string]any{"summary": map[string]string{"request": "a talk"}, "facts": facts})
	return distill.Reply{Text: text, Usage: distill.Usage{Reported: true, Input: 900, Output: 100}}, err
}

// about are the facts about a subject, in the order in which they were said.
func (d dialogue) about(subject string) (all []dialogueFact) {
	for _, s := range d.sessions {
		for _, f := range s.facts {
			if f.Subject == subject {
				all = append(all, f)
			}
		}
	}
	return all
}

// lastWords are the titles of the facts that hold in the end, and of those that do not.
func (d dialogue) lastWords() (hold, outdated []string) {
	for _, s := range d.sessions {
		for _, f := range s.facts {
			all := d.about(f.Subject)
			switch last := all[len(all)-1]; {
			case last.Text != f.Text:
				outdated = append(outdated, f.Text)
			case !slices.Contains(hold, f.Text):
				hold = append(hold, f.Text)
			}
		}
	}
	return hold, outdated
}

// Whichever way the sessions of a dialogue come to be distilled (TestAnyOrderOfDistillingEndsInTheLastWords has other orders), the next start has what holds in the end, and nothing
// that was taken back.
func TestTheLastWordHoldsInEveryOrder(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/dialogues/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d dialogues, %v", len(files), err)
	}
	type living struct {
		a     *daemontest.Fixture
		model *daemontest.Scripted
		s     *spool.Spool
		d     dialogue
	}
	orders := map[string]func(*testing.T, living){
		"as they end": func(t *testing.T, l living) {
			for n := range l.d.sessions {
				live(t, l.a, l.s, l.d.events(n)...)
			}
		},
		"caught up with": func(t *testing.T, l living) {
			l.model.Off.Store(true)
			for n := range l.d.sessions {
				live(t, l.a, l.s, l.d.events(n)...)
			}
			l.model.Off.Store(false)
			workOff(t, l.a)
		},
		"consent in the middle": func(t *testing.T, l living) {
			l.model.Off.Store(true)
			for n := range l.d.sessions {
				l.model.Off.Store(n < len(l.d.sessions)/2)
				live(t, l.a, l.s, l.d.events(n)...)
			}
		},
		"consent in the middle, and the past later": func(t *testing.T, l living) {
			l.a.Config.Distill.CatchUp = 0
			l.a.Rebuild()
			l.model.Off.Store(true)
			for n := range l.d.sessions {
				l.model.Off.Store(n < len(l.d.sessions)/2)
				live(t, l.a, l.s, l.d.events(n)...)
			}
			estimate := musttest.Get(l.a.Distiller.Estimate(t.Context(), daemonapi.DistillEstimateParams{Sessions: 100}))(t)
			for _, id := range estimate.Pending {
				musttest.Get(l.a.Distiller.Distill(t.Context(), daemonapi.DistillParams{Session: id}))(t)
			}
		},
	}
	names := slices.Sorted(maps.Keys(orders))
	for i, file := range files {
		d := dialogueOf(t, file)
		hold, outdated := d.lastWords()
		for j, order := range names {
			if j%len(files) != i { // each order has one dialogue
				continue
			}
			distil := orders[order]
			t.Run(fmt.Sprintf("%s %s", strings.TrimSuffix(filepath.Base(file), ".txtar"), order), func(t *testing.T) {
				a, model, s := distilling(t, d.answer)
				a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 60) }
				distil(t, living{a, model, s, d})
				if got := standingFacts(t, a); !slices.Equal(got, slices.Sorted(slices.Values(hold))) {
					t.Errorf("%q stand, want %q", got, hold)
				}
				musttest.Get(a.Upkeep.Consolidate(t.Context(), daemonapi.ConsolidateParams{Trigger: "manual"}))(t)
				start := daemontest.StartOf(t, a, "next")
				for _, text := range hold {
					if !strings.Contains(start, text) {
						t.Errorf("%q is not in the start", text)
					}
				}
				for _, text := range outdated {
					if strings.Contains(start, text) {
						t.Errorf("%q is in the start", text)
					}
				}
				if t.Failed() {
					t.Log(start)
				}
			})
		}
	}
}
