package lived

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
)

// Rule names a rule of ingest whose memories an ablation leaves out.
type Rule struct {
	Name string
	Made func(m memory.Memory) bool // whether the rule made a memory
}

// Rules are those that an ablation leaves out, one at a time.
func Rules() []Rule {
	rules := []Rule{{"all statements", stated}}
	for _, kind := range []memory.Kind{memory.KindConvention, memory.KindCorrection, memory.KindDecision, memory.KindPreference, memory.KindNote, memory.KindTodo} {
		rules = append(rules, Rule{"statements: " + string(kind), func(m memory.Memory) bool { return stated(m) && m.Kind == kind }})
	}
	return append(rules,
		Rule{"conclusions", memory.Memory.IsConclusion},
		Rule{"cards", func(m memory.Memory) bool { return m.Kind == memory.KindTurn }},
		Rule{"lessons", func(m memory.Memory) bool { return m.Kind == memory.KindFix }},
	)
}

func stated(m memory.Memory) bool { return m.Source == memory.SourceUser && m.Kind.UserAuthored() }

// withoutRule is a store without the memories that a rule makes.
type withoutRule struct {
	*memstore.Store
	rule Rule
}

// Ingest leaves out the rule's memories, and their sightings.
func (s withoutRule) Ingest(ctx context.Context, b memory.Batch) error {
	gone := map[string]bool{}
	b.Memories = slices.DeleteFunc(slices.Clone(b.Memories), func(m memory.Memory) bool {
		gone[m.ID] = gone[m.ID] || s.rule.Made(m)
		return s.rule.Made(m)
	})
	known, err := s.Rows(ctx, memory.RowQuery{IDs: sighted(b.Sightings)})
	if err != nil {
		return err
	}
	for _, m := range b.Memories {
		known = append(known, memory.Row{Memory: m})
	}
	kept := map[string]bool{}
	for _, row := range known {
		kept[row.Memory.ID] = true
	}
	b.Sightings = slices.DeleteFunc(slices.Clone(b.Sightings), func(seen memory.Sighting) bool { return !kept[seen.Memory] })
	b.UserWritten = slices.DeleteFunc(slices.Clone(b.UserWritten), func(id string) bool { return gone[id] })
	return s.Store.Ingest(ctx, b)
}

// sighted are the memories of sightings.
func sighted(all []memory.Sighting) []string {
	ids := make([]string, 0, len(all))
	for _, s := range all {
		ids = append(ids, s.Memory)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
