package daemontest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Scripted is a model that answers by a script and records the questions.
type Scripted struct {
	// Off is set if the user has switched distillation off since the settings were read.
	Off atomic.Bool

	Answer func(q distill.Question) (distill.Reply, error)
	// Wait, if set, delays each answer until it returns; its error becomes the answer.
	Wait func(ctx context.Context) error

	Mu    sync.Mutex
	Asked []string
	Now   int // number of running calls
	Most  int // maximum number of calls at the same time
	Spent int // tokens, as reported
}

// Ask records a question and answers it.
func (m *Scripted) Ask(ctx context.Context, q distill.Question) (distill.Reply, error) {
	m.Mu.Lock()
	m.Asked = append(m.Asked, q.Prompt)
	m.Now++
	m.Most = max(m.Most, m.Now)
	m.Mu.Unlock()
	var reply distill.Reply
	var err error
	if m.Wait != nil {
		err = m.Wait(ctx)
	}
	if err == nil {
		reply, err = m.Answer(q)
	}
	m.Mu.Lock()
	defer m.Mu.Unlock()
	m.Now--
	m.Spent += reply.Usage.Total()
	return reply, err
}

// Calls returns the number of questions so far.
func (m *Scripted) Calls() int {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	return len(m.Asked)
}

// Wrote returns an answer with a summary and facts, each with the words that it quotes.
func Wrote(learned string, facts ...[2]string) (distill.Reply, error) {
	answer := map[string]any{"summary": map[string]string{"request": "An export for guests", "investigated": "", "learned": learned, "completed": "", "next_steps": ""}}
	all := []map[string]any{}
	for _, f := range facts {
		all = append(all, map[string]any{"text": f[0], "kind": "convention", "quotes": []string{f[1]}, "about": "", "relation": ""})
	}
	answer["facts"] = all
	text, err := json.Marshal(answer)
	return distill.Reply{Text: text, Usage: distill.Usage{Reported: true, Input: 1000, Output: 50, USD: 0.001}}, err
}

// Ended returns the events of an ended session with the given turns.
func Ended(id string, turns ...string) []memory.Event {
	var all []memory.Event
	add := func(n int, kind memory.EventKind, fill func(*memory.Event)) {
		e := Event(n, kind)
		e.ID, e.Session = fmt.Sprintf("%s-%s-%d", e.ID, id, n), id
		fill(&e)
		all = append(all, e)
	}
	for i, text := range turns {
		add(10*i, memory.EventPrompt, func(e *memory.Event) { e.Prompt = text })
		add(10*i+1, memory.EventFileChanged, func(e *memory.Event) { e.Tool, e.File, e.After = "Write", "export.sql", "select" })
		add(10*i+2, memory.EventTurnEnded, func(e *memory.Event) {
			e.Text = fmt.Sprintf("The query joined on the account in place %d. It joins on the session now.", i)
		})
	}
	add(10*len(turns), memory.EventSessionEnded, func(e *memory.Event) { e.Reason = "other" })
	return all
}

// RecordNamed returns the stored record of a session.
func RecordNamed(t *testing.T, a *Fixture, session string) memory.SessionRecord {
	t.Helper()
	record, err := memory.RecordOf(t.Context(), a.Store, session)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// ShownID returns the id beside which a question shows content, or else the title of content; "" if it shows neither.
func ShownID(q distill.Question, content string) string {
	for line := range strings.Lines(q.Prompt) {
		id, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if marked, isMarked := strings.CutPrefix(text, "("); isMarked {
			_, text, _ = strings.Cut(marked, ") ")
		}
		if text == memory.TitleOf(content) || text == content {
			return id
		}
	}
	return ""
}
