package surreal

import (
	"fmt"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// BenchmarkTeam has 100,000 rows of 20 people: of each half in a project that all of them share, half in the person's own place. It
// asks as a member and as the store's owner, on a surreal binary.
func BenchmarkTeam(b *testing.B) {
	if enginetest.Surreal() == "" {
		b.Skip("there is no surreal binary: " + enginetest.SurrealVariable)
	}
	endpoint, stop, err := enginetest.OpenKind(engine.Binary)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(stop)
	const people, each, batch = 20, 5_000, 1_000
	team := openTeam(b, endpoint)
	now := time.Now().UTC()
	kinds := []memory.Kind{
		memory.KindEdit, memory.KindEdit, memory.KindEdit, memory.KindCommand, memory.KindCommand, memory.KindFailure,
		memory.KindObservation, memory.KindObservation, memory.KindNote, memory.KindConvention,
	}
	for person := range people {
		name := []string{"anna", "bob", "carol"}[min(person, 2)]
		if person > 2 {
			name = fmt.Sprint("person", person)
			must(b, team.owner, "CREATE type::record('person', $name) SET active = true RETURN NONE", map[string]any{"name": name})
		}
		must(b, team.owner, "CREATE type::record('membership', ['K', $name]) SET project = 'K', person = $name, role = 'member', sharing = true RETURN NONE",
			map[string]any{"name": name})
		for from := 0; from < each; from += batch {
			rows := make([]map[string]any, 0, batch)
			for i := from; i < from+batch; i++ {
				m := memory.Memory{
					ID: fmt.Sprintf("%032x", person*each+i), Project: "K", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: kinds[i%len(kinds)],
					Status: memory.StatusActive, Content: fmt.Sprintf("memory %d of %s is about the port of staging", i, name), Importance: 0.5,
					TokenCount: 10, TokenEncoding: "o200k_base", CreatedAt: now, LastSeenAt: now.Add(time.Duration(i) * time.Second),
				}
				if i%20 >= 10 {
					m.ID, m.Project = m.ID+"~"+name, "~"+name+"/K"
				}
				row := memoryCodec.row(m)
				row["owner"] = name
				rows = append(rows, row)
			}
			must(b, team.owner, "INSERT INTO memory $rows RETURN NONE", map[string]any{"rows": rows})
		}
	}
	var shared []string
	if err := must(b, team.owner, "SELECT VALUE record::id(id) FROM memory WHERE project = 'K' AND kind = 'note' LIMIT 100", nil).Decode(0, &shared); err != nil || len(shared) != 100 {
		b.Fatal(len(shared), err)
	}
	for _, who := range []struct {
		name string
		conn *wire.Conn
	}{{"owner", team.owner}, {"member", team.anna}} {
		store := NewStore(who.conn)
		measure := func(name string, work func() error) {
			b.Run(who.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if err := work(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		measure("start", func() error {
			_, err := store.StartContext(b.Context(), memory.StartQuery{Project: "K", Session: "s", Limit: 40})
			return err
		})
		measure("index", func() error {
			return store.Recallable(b.Context(), "K", 1000, func([]memory.Row) error { return nil })
		})
		measure("rows by id", func() error {
			_, err := store.Rows(b.Context(), memory.RowQuery{IDs: shared})
			return err
		})
		measure("who", func() error {
			_, err := store.Person(b.Context())
			return err
		})
		n := 0
		measure("prompt stored", func() error {
			n++
			batch := memory.Batch{Sessions: []memory.Session{{ID: "s" + who.name, Project: "K", State: memory.SessionActive, StartedAt: now, LastEventAt: now}}}
			id := fmt.Sprintf("%x%s", n, who.name)
			m := memory.Memory{ID: id, Project: "K", Scope: memory.ScopeProject, Type: memory.TypeEpisodic, Kind: memory.KindEdit, Status: memory.StatusActive, Content: "Edited a.go " + id, CreatedAt: now, LastSeenAt: now}
			batch.Memories = []memory.Memory{m}
			batch.Prompts = []memory.Prompt{{ID: id, Session: "s" + who.name, Project: "K", Text: "go on", At: now}}
			batch.Sightings = []memory.Sighting{{ID: id, Memory: id, Session: "s" + who.name, At: now}}
			return store.Ingest(b.Context(), batch)
		})
		measure("count", func() error {
			_, err := store.CountMemories(b.Context(), memory.Filter{Project: "K"})
			return err
		})
	}
	b.Run("member/sign in", func(b *testing.B) {
		for b.Loop() {
			if err := team.as("anna", "annas secret").Ping(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
