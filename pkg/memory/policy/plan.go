package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// change adds the action that puts a row into another state.
func (p *Plan) change(kind string, row memory.Row, after memory.State, reason string) {
	p.Actions = append(p.Actions, row.Becomes(after, kind, reason))
}

// ordered returns the plan with its actions ordered by memory.
func (p *Plan) ordered() Plan {
	slices.SortFunc(p.Actions, func(a, b memory.Action) int { return cmp.Compare(a.Memory, b.Memory) })
	return *p
}

// better compares two rows in the total order that chooses the survivor of duplicates: the more trusted source first, then
// pinned rows, rows that a person asked for, and longer ones; where all else is equal, the id decides. Of two rows exactly one
// is better, so that they cannot remove each other.
func better(a, b memory.Row) int {
	return cmp.Or(
		cmp.Compare(b.Memory.Source.Trust(), a.Memory.Source.Trust()),
		memory.TrueFirst(a.Memory.Pinned, b.Memory.Pinned),
		memory.TrueFirst(a.UserWritten, b.UserWritten),
		cmp.Compare(len(memory.Normalise(b.Memory.Content)), len(memory.Normalise(a.Memory.Content))),
		cmp.Compare(b.Uses, a.Uses),
		cmp.Compare(b.Memory.Importance, a.Memory.Importance),
		a.Memory.CreatedAt.Compare(b.Memory.CreatedAt),
		cmp.Compare(a.Memory.ID, b.Memory.ID),
	)
}

// mergeInto merges others into the survivor, and returns the survivor's state with the reason: it adds up the uses, unites
// tags, cues and sources, and makes the others point at the survivor. It sets sessions and projects to the highest count of
// any of the rows. This is a lower bound, because the rows may have been seen in different sessions; the store counts exactly
// from the sightings.
func (p *Plan) mergeInto(survivor memory.Row, others []memory.Row, why string) (s memory.State, reason string) {
	s = survivor.State()
	s.MergedInto = ""
	tags, cues, sources, names := slices.Clone(s.Tags), slices.Clone(s.Cues), slices.Clone(s.DerivedFrom), []string{}
	for _, other := range others {
		o := other.State()
		s.Uses += o.Uses
		s.Sessions, s.Projects = max(s.Sessions, o.Sessions), max(s.Projects, o.Projects)
		s.Importance = max(s.Importance, o.Importance)
		if o.UsedAt.After(s.UsedAt) {
			s.UsedAt = o.UsedAt
		}
		if o.CreatedAt.Before(s.CreatedAt) {
			s.CreatedAt = o.CreatedAt
		}
		s.Everywhere = s.Everywhere || o.Everywhere
		if s.Title == "" {
			s.Title, s.Area = o.Title, o.Area
		}
		if o.LastSeenAt.After(s.LastSeenAt) {
			s.LastSeenAt = o.LastSeenAt
		}
		tags, cues = append(tags, o.Tags...), append(cues, o.Cues...)
		sources = append(append(sources, o.DerivedFrom...), other.Memory.ID)
		names = append(names, other.Memory.ID)
		o.Status, o.MergedInto = memory.StatusConsolidated, survivor.Memory.ID
		p.change(KindConsolidate, other, o, "a duplicate of "+survivor.Memory.ID+": "+why)
	}
	s.Tags, s.Cues, s.DerivedFrom = memory.Union(tags), memory.Union(cues), memory.Union(sources)
	return s, "with its duplicates " + strings.Join(names, ", ")
}
