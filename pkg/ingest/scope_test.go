package ingest_test

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// What the user says for all projects, in a request to keep it or on the command line, reaches every project; nothing else does.
func TestOnlyWhatTheUserSaysEverywhereReachesEveryProject(t *testing.T) {
	t.Parallel()
	prompt := func(text string) memory.Event { return memory.Event{Kind: memory.EventPrompt, Prompt: text} }
	stored := memory.Event{Kind: memory.EventRemembered, RememberedKind: memory.KindPreference, Text: "In all my projects answers are short.", Everywhere: true}
	typed := stored
	typed.ByUser = true
	here := typed
	here.Everywhere = false
	for name, test := range map[string]struct {
		memory.Event
		want memory.Scope
	}{
		"a preference":                  {prompt("I prefer short answers"), memory.ScopeProject},
		"a preference everywhere":       {prompt("I prefer short answers in all my projects"), memory.ScopeUser},
		"remember, at the beginning":    {prompt("Remember: in all my projects commits are signed"), memory.ScopeUser},
		"remember, at the end":          {prompt("remember that commits are signed in every repo."), memory.ScopeUser},
		"in another language":           {prompt("merk dir: in allen meinen Projekten sind Commits signiert"), memory.ScopeUser},
		"somewhere else in it":          {prompt("Remember: the tool that is used in all my projects is slow"), memory.ScopeProject},
		"in passing":                    {prompt("we must always sign the commits in every repo"), memory.ScopeProject},
		"stored by the assistant":       {stored, memory.ScopeProject},
		"typed on the command line":     {typed, memory.ScopeUser},
		"typed there, for this project": {here, memory.ScopeProject},
	} {
		now := time.Now().UTC()
		e := test.Event
		e.ID, e.At, e.Session, e.Project = memory.NewEventID(now), now, "s", memory.Project{Key: "p", Name: "p", Root: "/p"}
		batch := ingest.Batch([]memory.Event{e})
		if len(batch.Memories) != 1 || batch.Memories[0].Scope != test.want || (batch.Memories[0].Project == "") != (test.want == memory.ScopeUser) {
			t.Errorf("%s became %+v, want the scope %s", name, batch.Memories, test.want)
		}
	}
}
