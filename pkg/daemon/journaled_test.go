package daemon_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/places"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// copied returns the rows of a store by table, but those that are in no journal.
func copied(t *testing.T, store daemon.Store) map[string][]string {
	t.Helper()
	all := musttest.Get(surrealtest.Texts(t.Context(), store))(t)
	rows := map[string][]string{}
	for _, row := range all {
		table, _, _ := strings.Cut(row, " ")
		if of, isKnown := memory.RowTypeIn(table); isKnown && !of.Ephemeral {
			rows[table] = append(rows[table], row)
		}
	}
	return rows
}

// TestARowOfAnyTypeIsReplayed writes, changes, purges and deletes a row of each type; after each the journal
// makes the same store. A new type needs no change here.
func TestARowOfAnyTypeIsReplayed(t *testing.T) {
	kept := map[string]bool{"memory": true, "session": true, "project": true, "maintenance_run": true, "spend": true} // when all is deleted or purged
	for name, end := range map[string]func(t *testing.T, s *daemon.Journaled, change func(from, to string)){
		"changed": func(*testing.T, *daemon.Journaled, func(from, to string)) {},
		"deleted": func(_ *testing.T, _ *daemon.Journaled, change func(from, to string)) { change("changed since", "") },
		"purged": func(t *testing.T, s *daemon.Journaled, _ func(from, to string)) {
			musttest.Get(daemon.BookOf(s.Store, s.Ledger).Purge(t.Context(), "p"))(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
			j := journal.New(filepath.Join(t.TempDir(), "journal"), func() time.Time { return at })
			defer func() { _ = j.Close() }()
			s := &daemon.Journaled{Store: surrealtest.Empty(t), Ledger: journal.NewLedger(j)}
			batch := storetest.FullBatch()
			batch.Memories = append(batch.Memories, storetest.WholeMemory())
			musttest.Do(t, daemon.BookOf(s.Store, s.Ledger).Ingest(t.Context(), batch))
			change := func(from, to string) {
				for _, of := range memory.RowTypes() {
					var c memory.RowChange
					if from != "" {
						c.Before = storetest.RowOf(of, from)
					}
					if to != "" {
						c.After = storetest.RowOf(of, to)
					}
					if c.Row() == nil {
						continue
					}
					if err := s.Apply(t.Context(), memory.Write{Rows: []memory.RowChange{c}}); err != nil {
						t.Fatalf("%s: %v", of.Table, err)
					}
				}
			}
			change("", "written")
			change("written", "changed since")
			end(t, s, change)

			rebuilt := surrealtest.Empty(t)
			done, err := intake.Replay(t.Context(), rebuilt, func(text string) string { return text }, j.Dir(), "")
			if err != nil || len(done.Refused)+len(done.Problems) > 0 {
				t.Fatalf("replayed %+v, %v", done, err)
			}
			want, got := copied(t, s), copied(t, rebuilt)
			musttest.Same(t, want, got, "the rebuilt store (-want +got)")
			for _, of := range memory.RowTypes() {
				if n := len(got[of.Table]); name == "changed" && n == 0 && !of.Ephemeral {
					t.Errorf("%s: there is no row", of.Table)
				} else if name == "purged" && n > 0 && !kept[of.Table] {
					t.Errorf("%s: %d rows are left", of.Table, n)
				}
			}
		})
	}
}

// slowStore has five projects and takes a while to count one.
type slowStore struct {
	daemon.Store
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
func held(t *testing.T, p *daemon.Projects, params daemonapi.ProjectsParams) []int {
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
		p := &daemon.Projects{Store: &slowStore{takes: 900 * time.Millisecond}}
		p.Aliases = aliasesOf(p.Store)
		began := time.Now()
		if got := fmt.Sprint(held(t, p, daemonapi.ProjectsParams{})); got != "[1 2 -1 -1 -1]" || time.Since(began) > 2*time.Second {
			t.Errorf("the list after %v: %s", time.Since(began), got)
		}
	})
}

func TestProjectsAreListedWithoutCounting(t *testing.T) {
	store := &slowStore{}
	p := &daemon.Projects{Store: store, Aliases: aliasesOf(store)}
	if got := held(t, p, daemonapi.ProjectsParams{Uncounted: true}); fmt.Sprint(got) != "[-1 -1 -1 -1 -1]" || store.times.Load() > 0 {
		t.Errorf("%v, %d counted", got, store.times.Load())
	}
}

func TestOneProjectIsCountedToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{takes: 10 * time.Second}
		p := &daemon.Projects{Store: store, Aliases: aliasesOf(store)}
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
