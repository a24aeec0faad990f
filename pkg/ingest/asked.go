package ingest

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// OnlyAsked keeps only the memories that a person asked to keep: in a prompt, on the command line, by an import, or
// in words that the assistant quotes. Events, prompts and sessions stay.
func OnlyAsked(b memory.Batch, events []memory.Event) memory.Batch {
	asked := slices.Clone(b.UserWritten)
	for _, e := range events {
		if e.Kind == memory.EventImported || e.Kind == memory.EventRemembered && e.Quote != "" {
			asked = append(asked, memory.Each(Batch([]memory.Event{e}).Memories, func(m memory.Memory) string { return m.ID })...)
		}
	}
	gone := map[string]bool{}
	for _, m := range b.Memories {
		gone[m.ID] = !slices.Contains(asked, m.ID)
	}
	b.Memories = slices.DeleteFunc(b.Memories, func(m memory.Memory) bool { return gone[m.ID] })
	b.Sightings = slices.DeleteFunc(b.Sightings, func(s memory.Sighting) bool { return gone[s.Memory] })
	b.Derived = slices.DeleteFunc(b.Derived, func(d memory.Derivation) bool { return gone[d.Memory] })
	return b
}
