package storetest

import (
	"fmt"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// exportPages reads pages shorter than the sections and finds every row once.
func exportPages(t *testing.T, s Store) {
	var batch memory.Batch
	for i := range 5 {
		key := fmt.Sprintf("host/⟩p%d", i)
		one := session(fmt.Sprintf("s%d", i), key)
		m := note(key, fmt.Sprint("fact ", i), minute(i))
		batch.Projects = append(batch.Projects, memory.Project{Key: key, Name: "p", Root: "/p", SeenAt: minute(i)})
		batch.Sessions = append(batch.Sessions, one)
		batch.Prompts = append(batch.Prompts, memory.Prompt{ID: fmt.Sprint("e", i), Session: one.ID, Project: key, Text: "hi", At: minute(i)})
		batch.Memories = append(batch.Memories, m)
		batch.Sightings = append(batch.Sightings, memory.Sighting{ID: fmt.Sprint("e", i), Memory: m.ID, Session: one.ID, At: minute(i)})
	}
	archived := note("host/⟩p0", "archived", minute(9))
	archived.Status = memory.StatusArchived
	batch.Memories = append(batch.Memories, archived)
	ingest(t, s, batch)

	all := exportAll(t, s, "")
	counts := []int{len(all.Projects), len(all.Sessions), len(all.Prompts), len(all.Memories), len(all.Sightings)}
	musttest.Same(t, []int{5, 5, 5, 6, 5}, counts, "rows of each section (-want +got)")
	of := exportAll(t, s, "host/⟩p1")
	want := memory.ExportPage{Projects: batch.Projects[1:2], Sessions: batch.Sessions[1:2], Prompts: batch.Prompts[1:2], Memories: batch.Memories[1:2], Sightings: batch.Sightings[1:2]}
	musttest.Same(t, want, of, "one project (-want +got)")
	musttest.Is(t, memory.ErrInvalid, musttest.Err(s.Export(t.Context(), memory.ExportQuery{Section: "secrets"})), "a section that there is not")
}

func exportAll(t *testing.T, s Store, project string) memory.ExportPage {
	t.Helper()
	var all memory.ExportPage
	for _, section := range memory.Sections() {
		after := ""
		for {
			page := musttest.Get(s.Export(t.Context(), memory.ExportQuery{Section: section, Project: project, After: after, Limit: 2}))(t)
			all.Projects = append(all.Projects, page.Projects...)
			all.Sessions = append(all.Sessions, page.Sessions...)
			all.Prompts = append(all.Prompts, page.Prompts...)
			all.Memories = append(all.Memories, page.Memories...)
			all.Sightings = append(all.Sightings, page.Sightings...)
			if after = page.Next; after == "" {
				break
			}
		}
	}
	return all
}
