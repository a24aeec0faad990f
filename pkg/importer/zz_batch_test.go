package importer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestZZBatch(t *testing.T) {
	for _, mode := range []string{"full", "content only", "unsearched", "unsearched nosight", "full 1000"} {
		s := realStore(t)
		size := 250
		if mode == "full 1000" {
			size = 1000
		}
		out := ""
		for b := range 1000 / size * 1 {
			var batch memory.Batch
			for i := range size {
				told := b*size + i
				at := time.Unix(1735689600+int64(told), 0)
				m := memory.Memory{Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive,
					Content: fmt.Sprintf("Observation %d: Module %d was looked at in state %d", told, told%97, told*31%1009), Detail: fmt.Sprintf("While task %d was done, module %d turned out to be in state %d.\n- Fact %d holds\n- It depends on module %d", told/50, told%97, told*31%1009, told, told%13),
					Tags: []string{"a", "b"}, Files: []string{"x/y"}, CreatedAt: at, LastSeenAt: at, TokenEncoding: "x", Importance: 0.5, Session: "s"}
				if mode == "content only" {
					m.Detail = ""
				}
				if mode[0] == 'u' {
					m.Kind = memory.KindEdit
				}
				m.ID = memory.NewID(m.Scope, m.Project, m.Content)
				batch.Memories = append(batch.Memories, m)
				if mode != "unsearched nosight" {
					batch.Sightings = append(batch.Sightings, memory.Sighting{ID: fmt.Sprint("i", told), Memory: m.ID, Session: "s", At: at})
				}
			}
			from := time.Now()
			if err := s.Ingest(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			out += fmt.Sprint(" ", time.Since(from).Round(time.Millisecond))
		}
		t.Log(mode, out)
	}
}
