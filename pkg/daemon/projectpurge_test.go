package daemon

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/places"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// merged is a store in which the project K is a part of L; it counts the changes that it is asked for.
type merged struct {
	projectStore
	purged, discarded int
}

func (s *merged) Projects(context.Context) ([]memory.ProjectHolding, error) {
	return []memory.ProjectHolding{{Project: memory.Project{Key: "L"}}, {Project: memory.Project{Key: "K"}, MergedInto: "L"}}, nil
}

func (s *merged) Purge(context.Context, string) (memory.Holding, error) {
	s.purged++
	return memory.Holding{}, nil
}

func (s *merged) Ingest(context.Context) (daemonapi.IngestResult, error) {
	return daemonapi.IngestResult{}, nil
}

func (s *merged) Rewrite(ctx context.Context, change func(context.Context) error) error {
	return change(ctx)
}

func (s *merged) Discard() { s.discarded++ }

// TestARefusedPurgeDeletesNothing, neither in the store nor of the events that wait outside of it.
func TestARefusedPurgeDeletesNothing(t *testing.T) {
	waiting := spool.New(t.TempDir())
	event := memory.Event{ID: memory.NewEventID(time.Now()), At: time.Now(), Kind: memory.EventPrompt, Session: "s", Project: memory.Project{Key: "K", Name: "K", Root: "/K"}, Prompt: "x"}
	if err := waiting.Put(event); err != nil {
		t.Fatal(err)
	}
	s := &merged{}
	p := &Projects{Store: s, Aliases: intake.NewAliases(s, places.New("", slog.New(slog.DiscardHandler)), time.Now), Intake: s, Unsaved: s, Spools: spool.NewSet(nil, waiting)}
	for _, refused := range []daemonapi.PurgeParams{{Key: "K"}, {Key: "L", All: true}, {}} {
		if _, err := p.Purge(t.Context(), refused); !errors.Is(err, memory.ErrInvalid) {
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
