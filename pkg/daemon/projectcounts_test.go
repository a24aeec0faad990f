package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/places"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// slowStore has five projects and takes a while to count one.
type slowStore struct {
	projectStore
	takes time.Duration
	times atomic.Int32
}

func (s *slowStore) Projects(context.Context) ([]memory.ProjectHolding, error) {
	var all []memory.ProjectHolding
	for i := range 5 {
		all = append(all, memory.ProjectHolding{Project: memory.Project{Key: fmt.Sprint("p", i)}})
	}
	return all, nil
}

func (s *slowStore) Totals(ctx context.Context, _ memory.TotalsQuery) (memory.Totals, error) {
	times := s.times.Add(1)
	select {
	case <-time.After(s.takes):
		return memory.Totals{Stats: memory.Stats{Memories: int(times)}}, nil
	case <-ctx.Done():
		return memory.Totals{}, ctx.Err()
	}
}

// held asks for all projects and returns the count of each; -1 is not counted.
func held(t *testing.T, p *Projects, params daemonapi.ProjectsParams) []int {
	t.Helper()
	all := musttest.Get(p.List(t.Context(), params))(t)
	var counts []int
	for _, one := range all {
		if one.CountedAt.IsZero() {
			counts = append(counts, -1)
		} else {
			counts = append(counts, one.Holding.Memories)
		}
	}
	return counts
}

func TestProjectsAreCountedAsFarAsTheTimeGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Projects{Store: &slowStore{takes: 900 * time.Millisecond}}
		p.Aliases = aliasesOf(p.Store)
		began := time.Now()
		if got := fmt.Sprint(held(t, p, daemonapi.ProjectsParams{})); got != "[1 2 -1 -1 -1]" || time.Since(began) > 2*time.Second {
			t.Errorf("the list after %v: %s", time.Since(began), got)
		}
	})
}

func TestProjectsAreListedWithoutCounting(t *testing.T) {
	store := &slowStore{}
	p := &Projects{Store: store, Aliases: aliasesOf(store)}
	if got := held(t, p, daemonapi.ProjectsParams{Uncounted: true}); fmt.Sprint(got) != "[-1 -1 -1 -1 -1]" || store.times.Load() > 0 {
		t.Errorf("%v, %d counted", got, store.times.Load())
	}
}

func TestOneProjectIsCountedToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{takes: 10 * time.Second}
		p := &Projects{Store: store, Aliases: aliasesOf(store)}
		if got := held(t, p, daemonapi.ProjectsParams{Only: "p3"}); fmt.Sprint(got) != "[1]" {
			t.Errorf("%v", got)
		}
		if got := held(t, p, daemonapi.ProjectsParams{Only: "unknown"}); len(got) != 0 {
			t.Errorf("of an unknown project %v", got)
		}
	})
}

func aliasesOf(store intake.AliasReader) *intake.Aliases {
	return intake.NewAliases(store, places.New("", nil, slog.New(slog.DiscardHandler)), time.Now)
}
