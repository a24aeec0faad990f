package ingest

import (
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// Turn has the events from one prompt to the next.
type Turn struct {
	At        time.Time
	LastWords string   // the assistant's last words
	Files     []string // edited files
}

// Turns splits a session at its prompts, sorted by time. Prompts such as "continue" belong to the turn before.
func Turns(a memory.SessionRecord) []Turn {
	prompts := slices.SortedStableFunc(slices.Values(a.Prompts), func(x, y memory.Prompt) int { return x.At.Compare(y.At) })
	var turns []Turn
	for _, p := range prompts {
		if typed, isTyped := knowledge.Typed(p.Text); isTyped && language.IsContinuation(typed) && len(turns) > 0 {
			continue
		}
		turns = append(turns, Turn{At: p.At})
	}
	// of returns the turn that was under way at a time.
	of := func(at time.Time) *Turn {
		for i := len(turns) - 1; i >= 0; i-- {
			if !turns[i].At.After(at) {
				return &turns[i]
			}
		}
		return nil
	}
	for _, e := range a.SessionEvents {
		switch t := of(e.At); {
		case t == nil:
		case e.Kind == memory.EventTurnEnded && strings.TrimSpace(e.Text) != "":
			t.LastWords = e.Text
		case e.Kind == memory.EventFileChanged:
			for _, file := range e.Files {
				if !slices.Contains(t.Files, file) {
					t.Files = append(t.Files, file)
				}
			}
		}
	}
	return turns
}
