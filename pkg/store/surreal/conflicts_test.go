package surreal

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wiretest"
)

var conflictWrites = flag.Int("conflicts.writes", 50, "writes that two daemons make to the same rows at the same time")

// TestTwoDaemonsLoseNothing: two daemons write about the same five memories at the same time,
// over their own connections. The embedded engine (3.0.2) sometimes acknowledges both of two
// conflicting commits, but serves only one daemon, so there the two take turns.
func TestTwoDaemonsLoseNothing(t *testing.T) {
	opts := wiretest.Database(t)
	var reads, writes atomic.Int64
	opts.Trace = func(sql string, _ int) {
		switch {
		case strings.HasPrefix(sql, beginSQL):
			writes.Add(1)
		case strings.HasPrefix(sql, "SELECT "):
			reads.Add(1)
		}
	}
	store := migrated(t, wiretest.Open(t, opts))
	each := *conflictWrites / 2
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	var turns sync.Mutex
	version := versionOf(t, opts)
	isServer := !strings.HasPrefix(version, "surrealdb-3.0.")
	var daemons sync.WaitGroup
	for n, daemon := range []string{"a", "b"} {
		store := NewStore(wiretest.Open(t, opts))
		daemons.Go(func() {
			for i := range each {
				if !isServer {
					turns.Lock()
				}
				batch := contested(daemon, i, start.Add(time.Duration(2*i+n)*time.Second))
				err := store.Ingest(t.Context(), batch)
				for tries := 0; errors.Is(err, memory.ErrUnavailable) && tries < 9; tries++ { // as a daemon does: the events wait in its spool
					err = store.Ingest(t.Context(), batch)
				}
				musttest.Is(t, nil, err, "daemon %s, write %d", daemon, i)
				if !isServer {
					turns.Unlock()
				}
			}
		})
	}
	daemons.Wait()
	for of := range contestedMemories {
		rows, err := store.Rows(t.Context(), memory.WithIDs{contestedID(of)})
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		var want []string
		for i := of; i < each; i += contestedMemories {
			want = append(want, fmt.Sprint("a", i), fmt.Sprint("b", i))
		}
		slices.Sort(want)
		if row := rows[0]; !slices.Equal(row.Memory.Tags, want) || row.Uses != len(want) || row.Sessions != len(want) {
			t.Errorf("memory %d has %d tags, %d uses and %d sessions, want %d of each", of, len(row.Memory.Tags), row.Uses, row.Sessions, len(want))
		}
	}
	t.Logf("%s: %d writes took %d reads and %d transactions", version, 2*each, reads.Load(), writes.Load())
}

// versionOf returns the engine's version, such as surrealdb-3.0.2.
func versionOf(t *testing.T, opts wire.Options) string {
	t.Helper()
	endpoint, _ := opts.Locate(t.Context())
	response := musttest.Get(http.Get("http" + strings.TrimPrefix(endpoint.URL, "ws") + "/version"))(t)
	defer http.DefaultClient.CloseIdleConnections()
	defer func() { _ = response.Body.Close() }()
	return string(musttest.Get(io.ReadAll(response.Body))(t))
}

const contestedMemories = 5

func contestedID(of int) string {
	return memory.NewID(memory.ScopeProject, "p", fmt.Sprint("rule ", of))
}

// contested returns write number i of a daemon: its session sees and uses a memory that the other daemon also writes about.
func contested(daemon string, i int, at time.Time) memory.Batch {
	id, session := contestedID(i%contestedMemories), fmt.Sprint(daemon, i)
	return memory.Batch{
		Projects: []memory.Project{{Key: "p", SeenAt: at}},
		Sessions: []memory.Session{{ID: session, Project: "p", State: memory.SessionActive, StateAt: at, StartedAt: at, LastEventAt: at}},
		Memories: []memory.Memory{{
			ID: id, Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive,
			Content: fmt.Sprint("rule ", i%contestedMemories), Tags: []string{session}, CreatedAt: at, LastSeenAt: at,
		}},
		Sightings: []memory.Sighting{{ID: session, Memory: id, Session: session, At: at}},
		Uses:      []memory.Use{{Memory: id, Session: session, At: at}},
	}
}
