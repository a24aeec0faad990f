package memory_test

import (
	"context"
	"errors"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

type listed []string

func (l listed) Sessions(context.Context, memory.SessionQuery) ([]memory.Session, error) {
	var all []memory.Session
	for _, id := range l {
		all = append(all, memory.Session{ID: id})
	}
	if len(l) == 0 {
		return nil, errors.New("no store")
	}
	return all, nil
}

func TestSessionsAreNamedByTheBeginningOfTheirID(t *testing.T) {
	from := listed{"ab3", "b1", "ab1"}
	for beginning, want := range map[string]int{"ab": 2, "ab1": 1, "c": 0, "": 0} {
		if found, err := memory.SessionsNamed(t.Context(), from, "", beginning); err != nil || len(found) != want {
			t.Errorf("%q: %+v, %v", beginning, found, err)
		}
	}
	musttest.Fails(t, musttest.Err(memory.SessionsNamed(t.Context(), listed{}, "", "a")), "an error of the store is lost")
}
