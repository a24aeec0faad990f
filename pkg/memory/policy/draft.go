package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// draft collects changes to rows: later decisions see the results of earlier ones. The plan has one
// action for each row that is different in the end.
type draft struct {
	before, after map[string]Row
	kinds         map[string]string
	reasons       map[string][]string
	notes         []string
}

func newDraft(rows []Row) *draft {
	d := &draft{
		before: make(map[string]Row, len(rows)), after: map[string]Row{}, kinds: map[string]string{},
		reasons: map[string][]string{},
	}
	for _, row := range rows {
		d.before[row.Memory.ID] = row
	}
	return d
}

// row returns a row as the draft has changed it so far.
func (d *draft) row(id string) (Row, bool) {
	if row, changed := d.after[id]; changed {
		return row, true
	}
	row, known := d.before[id]
	return row, known
}

// change puts a row into a new state. The last change of a row decides the kind of its action, but a row that has
// taken over others stays a KindMerge when it is corrected as well.
func (d *draft) change(kind string, row Row, reason string) {
	id := row.Memory.ID
	d.after[id] = row
	d.reasons[id] = append(d.reasons[id], reason)
	if d.kinds[id] != KindMerge || kind == KindPromote {
		d.kinds[id] = kind
	}
}

func (d *draft) note(text string) { d.notes = append(d.notes, text) }

func (d *draft) plan() Plan {
	plan := Plan{Notes: d.notes}
	for _, id := range slices.Sorted(maps.Keys(d.after)) {
		before, after := d.before[id], d.after[id]
		if len(after.State().Changed(before.State())) == 0 {
			continue
		}
		plan.Actions = append(plan.Actions, memory.Row(before).Becomes(after.State(), d.kinds[id], strings.Join(d.reasons[id], "; ")))
	}
	return plan
}

// better compares two rows in the total order that chooses the survivor of duplicates: the more trusted source first, then
// protected and detailed rows; where all else is equal, the id decides. Of two rows exactly one is better, so that they cannot
// remove each other.
func better(a, b Row) int {
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

// mergeInto merges others into the survivor: it adds up the uses, unites tags, cues and sources, and makes the others
// point at the survivor. It sets sessions and projects to the highest count of any of the rows. This is a lower
// bound, because the rows may have been seen in different sessions; the store counts exactly from the sightings.
func (d *draft) mergeInto(survivor Row, others []Row, why string) Row {
	s := survivor.State()
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
		d.change(KindConsolidate, other.With(o), "a duplicate of "+survivor.Memory.ID+": "+why)
	}
	s.Tags, s.Cues, s.DerivedFrom = memory.Union(tags), memory.Union(cues), memory.Union(sources)
	merged := survivor.With(s)
	d.change(KindMerge, merged, "with its duplicates "+strings.Join(names, ", "))
	return merged
}

func times(n int, noun string) string { return fmt.Sprint(n, " ", memory.Plural(n, noun)) }
