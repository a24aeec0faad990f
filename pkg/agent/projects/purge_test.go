package projects

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// shared is a store that Bob uses with others; it counts the changes that it is asked for.
type shared struct {
	Changes
	purged, merged, discarded int
}

func (s *shared) Projects(context.Context) ([]memory.ProjectHolding, error) { return nil, nil }

func (s *shared) Person(context.Context) (memory.Person, error) {
	return memory.Person{Name: "bob", Reads: []string{"K", "L"}, Writes: []string{"K"}, Leads: []string{"L"}}, nil
}

func (s *shared) Purge(context.Context, string) (memory.Holding, error) {
	s.purged++
	return memory.Holding{}, nil
}

func (s *shared) MergeProjects(context.Context, string, string) (memory.Holding, error) {
	s.merged++
	return memory.Holding{}, nil
}

func (s *shared) EmptySpools(context.Context) error { return nil }

func (s *shared) Rewrite(ctx context.Context, change func(context.Context) error) error {
	return change(ctx)
}

func (s *shared) Discard() { s.discarded++ }

// TestARefusedPurgeDeletesNothing, neither in the store nor of the events that wait outside of it.
func TestARefusedPurgeDeletesNothing(t *testing.T) {
	waiting := spool.New(t.TempDir())
	event := memory.Event{ID: memory.NewEventID(time.Now()), At: time.Now(), Kind: memory.EventPrompt, Session: "s", Project: memory.Project{Key: "K", Name: "K", Root: "/K"}, Prompt: "x"}
	if err := waiting.Put(event); err != nil {
		t.Fatal(err)
	}
	s := &shared{}
	p := &Projects{Changes: s, Aliases: NewAliases(s, time.Now), Intake: s, Unsaved: s, Spools: spool.NewSet(nil, waiting)}
	for _, refused := range []agentapi.PurgeParams{{Key: "K"}, {All: true}} {
		if _, err := p.Purge(t.Context(), refused); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "only") {
			t.Errorf("%+v: %v", refused, err)
		}
	}
	if s.purged+s.discarded > 0 {
		t.Errorf("%d projects were purged, and %d records discarded", s.purged, s.discarded)
	}
	if counts, err := waiting.Counts(); err != nil || counts.New != 1 {
		t.Errorf("of 1 event %+v wait, %v", counts, err)
	}
}

// TestAPersonMergesOnlyOwnProjects: of a shared one the others' rows would stay.
func TestAPersonMergesOnlyOwnProjects(t *testing.T) {
	s := &shared{}
	p := &Projects{Changes: s, Aliases: NewAliases(s, time.Now), Intake: s, Log: slog.New(slog.DiscardHandler)}
	for keys, may := range map[[2]string]bool{
		{"~bob/x", "~bob/y"}: true, {"~bob/x", "K"}: true, {"~bob/x", "L"}: false, {"K", "~bob/y"}: false, {"L", "K"}: false, {"~anna/x", "~bob/y"}: false,
	} {
		before := s.merged
		_, err := p.Merge(t.Context(), agentapi.MergeParams{From: keys[0], Into: keys[1]})
		if may != (err == nil) || may != (s.merged > before) || err != nil && !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%v: %v, merged %d times, want it allowed: %v", keys, err, s.merged-before, may)
		}
	}
}
