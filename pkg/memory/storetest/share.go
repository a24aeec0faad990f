package storetest

import (
	"fmt"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// proposed checks that another person's fact waits for the user to accept it, or to state the same.
func proposed(t *testing.T, store Store) {
	const anna = "anna <anna@example.org>"
	shared := func(project string, minutes int) memory.Memory {
		m := stated(project, memory.SourceImport, memory.KindConvention, minutes)
		m.Status, m.Author = memory.StatusProposed, anna
		return m
	}
	user := func(project string, minutes int) memory.Memory {
		return stated(project, memory.SourceUser, memory.KindConvention, minutes)
	}
	for i, c := range []struct {
		name      string
		sightings []memory.Memory
		status    memory.Status
		author    string
		source    memory.Source
	}{
		{"once", []memory.Memory{shared("a", 1)}, memory.StatusProposed, anna, memory.SourceImport},
		{"again", []memory.Memory{shared("b", 1), shared("b", 2)}, memory.StatusProposed, anna, memory.SourceImport},
		{"then by the user", []memory.Memory{shared("c", 1), user("c", 2)}, memory.StatusActive, "", memory.SourceUser},
		{"by the user, late", []memory.Memory{shared("d", 2), user("d", 1)}, memory.StatusActive, "", memory.SourceUser},
		{"after the user", []memory.Memory{user("e", 1), shared("e", 2)}, memory.StatusActive, "", memory.SourceUser},
	} {
		for _, m := range c.sightings {
			ingest(t, store, memory.Batch{Memories: []memory.Memory{m}})
		}
		got := must[memory.Memory](t)(memory.Find(t.Context(), store, c.sightings[0].ID))
		equal(t, fmt.Sprintf("%d: shared %s", i, c.name), []string{string(c.status), c.author, string(c.source)}, []string{string(got.Status), got.Author, string(got.Source)})
	}

	first := shared("a", 1)
	for i, c := range []struct {
		change memory.Change
		want   memory.Status
	}{
		{memory.Change{Status: memory.StatusArchived, AddTags: []string{memory.TagWithdrawn}, Reason: "not shared any more"}, memory.StatusArchived},
		{memory.Change{Status: memory.StatusProposed, RemoveTags: []string{memory.TagWithdrawn}, Reason: "shared again"}, memory.StatusProposed},
		{memory.Change{Status: memory.StatusActive}, memory.StatusActive},
	} {
		c.change.ID, c.change.At, c.change.By = fmt.Sprint("share-", i), minute(5+i), memory.ByPerson
		_, after, err := store.Amend(t.Context(), first.ID, c.change)
		if err != nil || after.Status != c.want || after.Author != anna || after.HasTag(memory.TagAccepted) != (c.want == memory.StatusActive) {
			t.Fatalf("change %d: %+v, error %v", i, after, err)
		}
	}
	if _, _, err := store.Amend(t.Context(), user("e", 1).ID, memory.Change{ID: "share-own", At: minute(9), By: memory.ByPerson, Status: memory.StatusProposed}); err == nil {
		t.Error("the user's own word could be proposed to the user")
	}
	_, after, err := store.Amend(t.Context(), first.ID, memory.Change{ID: "share-edit", At: minute(10), By: memory.ByPerson, Content: "run the tests last"})
	if err != nil || after.Author != "" || !after.IsUsersWord() {
		t.Errorf("reworded by the user: %+v, error %v", after, err)
	}
}
