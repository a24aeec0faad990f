package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// stated returns a source's statement, in its own words and kind, but with the same
// identity.
func stated(project string, source memory.Source, kind memory.Kind, minutes int) memory.Memory {
	content := "run the tests first"
	if source == memory.SourceUser {
		content += "."
	}
	m := note(project, content, minute(minutes))
	m.Source, m.Kind, m.TokenCount, m.Session = source, kind, 10+minutes, ""
	return m
}

// trusted ingests the statements of four sources, each alone, in every order.
func trusted(t *testing.T, store Store) {
	round := 0
	permute([]int{0, 1, 2, 3}, func(order []int) {
		round++
		project := fmt.Sprint("p", round)
		sightings := []memory.Memory{
			stated(project, memory.SourceTool, memory.KindNote, 4),
			stated(project, memory.SourceUser, memory.KindConvention, 2),
			stated(project, memory.SourceAssistant, memory.KindDecision, 3),
			stated(project, "", memory.KindNote, 2),
		}
		for _, i := range order {
			ingest(t, store, memory.Batch{Memories: []memory.Memory{sightings[i]}})
		}
		want := sightings[1]
		want.LastSeenAt, want.Detail, want.Fingerprints = sightings[0].LastSeenAt, sightings[0].Detail, sightings[0].Fingerprints
		equal(t, fmt.Sprint("in the order ", order), want, must[memory.Memory](t)(memory.Find(t.Context(), store, want.ID)))
	})
}

func permute(all []int, visit func([]int)) {
	var place func(chosen []int)
	place = func(chosen []int) {
		if len(chosen) == len(all) {
			visit(chosen)
			return
		}
		for _, one := range all {
			if !slices.Contains(chosen, one) {
				place(append(slices.Clone(chosen), one))
			}
		}
	}
	place(nil)
}

func quarantined(t *testing.T, store Store) {
	tool := func(project string, minutes int) memory.Memory {
		m := stated(project, memory.SourceTool, memory.KindNote, minutes)
		m.Status = memory.StatusQuarantined
		return m
	}
	user := func(project string, minutes int) memory.Memory {
		return stated(project, memory.SourceUser, memory.KindNote, minutes)
	}
	for _, c := range []struct {
		name      string
		sightings []memory.Memory
		want      memory.Status
	}{
		{"once", []memory.Memory{tool("a", 1)}, memory.StatusQuarantined},
		{"again", []memory.Memory{tool("b", 1), tool("b", 2)}, memory.StatusQuarantined},
		{"then by the user", []memory.Memory{tool("c", 1), user("c", 2)}, memory.StatusActive},
		{"by the user, late", []memory.Memory{tool("d", 2), user("d", 1)}, memory.StatusActive},
		{"after the user", []memory.Memory{user("e", 1), tool("e", 2)}, memory.StatusActive},
	} {
		for _, m := range c.sightings {
			ingest(t, store, memory.Batch{Memories: []memory.Memory{m}})
		}
		got := must[memory.Memory](t)(memory.Find(t.Context(), store, c.sightings[0].ID))
		equal(t, "status of a memory seen "+c.name, c.want, got.Status)
	}

	released := tool("a", 1)
	for i, change := range []memory.Change{
		{ID: "quarantine-1", At: minute(5), By: "cli", Status: memory.StatusActive},
		{ID: "quarantine-2", At: minute(6), By: "cli", Status: memory.StatusArchived, Reason: "dropped"},
	} {
		_, after, err := store.Amend(t.Context(), released.ID, change)
		if err != nil || after.Status != change.Status {
			t.Fatalf("change %d: status %s, error %v", i, after.Status, err)
		}
		ingest(t, store, memory.Batch{Memories: []memory.Memory{tool("a", 10+i)}})
		equal(t, "status after it was seen again", change.Status, must[memory.Memory](t)(memory.Find(t.Context(), store, released.ID)).Status)
	}
	_, _, err := store.Amend(t.Context(), tool("b", 1).ID, memory.Change{ID: "quarantine-3", At: minute(7), By: "mcp", Content: "another"})
	if err == nil {
		t.Error("a quarantined memory could be reworded")
	}

	// An archived memory returns to quarantine, not to recall.
	faded := tool("f", 1)
	faded.Status = memory.StatusArchived
	ingest(t, store, memory.Batch{Memories: []memory.Memory{faded}}, memory.Batch{Memories: []memory.Memory{tool("f", 2)}})
	equal(t, "status of the archived memory", memory.StatusQuarantined, must[memory.Memory](t)(memory.Find(t.Context(), store, faded.ID)).Status)
}
