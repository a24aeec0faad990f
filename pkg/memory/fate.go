package memory

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Fate has the fields of a memory's row that memory sync sends to the user's other machines together with the memory:
// whether a person asked for it, and the last decisions about it.
type Fate struct {
	UserWritten  bool    `json:"user_written,omitempty"`
	Decided      Decided `json:"decided,omitempty"`
	Rejected     bool    `json:"rejected,omitempty"`
	SupersededBy string  `json:"corrected_by,omitempty" holds:"id"`

	Seen time.Time `json:"-"` // when the memory was last stated there, by the clock of that machine
}

// Known returns the latest time of the decisions and the statement.
func (f Fate) Known() time.Time {
	return slices.MaxFunc(append(slices.Collect(maps.Values(f.Decided)), f.Seen), time.Time.Compare)
}

// Decided maps the fields of a memory's State about which was decided, by their names, to the time of the last decision.
type Decided map[string]time.Time

// Decision records when a person or a model, not a policy, changed a memory, and which fields of its State.
type Decision struct {
	Memory string    `column:"memory_id"`
	At     time.Time `json:"at"`
	Fields []string  `json:"fields"`
}

// Decisive lists the kinds of actions that are decisions.
func Decisive() []string { return []string{ActionAmend, "supersede", "repeat", "widen"} }

// LastDecisions returns the last decisions about each memory.
func LastDecisions(all []Decision) map[string]Decided {
	last := map[string]Decided{}
	for _, one := range all {
		for _, field := range one.Fields {
			if last[one.Memory] == nil {
				last[one.Memory] = Decided{}
			}
			if one.At.After(last[one.Memory][field]) {
				last[one.Memory][field] = one.At
			}
		}
	}
	return last
}

// FateOf returns the fate of a row about which was decided.
func FateOf(row Row, decided Decided) Fate {
	return Fate{UserWritten: row.UserWritten, Decided: decided, Rejected: row.Rejected, SupersededBy: row.SupersededBy}
}

// settled lists the fields that a decision on another machine sets here, and ends those that say whether the memory stands.
var (
	settled = append([]string{"project", "scope", "kind", "tags", "importance", "pinned"}, ends...)
	ends    = []string{"status", "superseded_by", "detail"}
)

// Settle returns the state of a row after the first decision on another machine that is not known here, where the memory is
// there and its fate is f, the fields that were decided, and the time, or the zero time if there is none. Of two decisions
// about a field the later one holds; decided are the last ones here. A memory that was stated again after it was
// archived stays active; seen is the time when it was last stated here. That the user took it back there says nothing of what
// was stated here.
func (f Fate) Settle(row Row, there Memory, decided Decided, seen time.Time) (s State, fields []string, at time.Time) {
	if row.Memory.Status == StatusConsolidated {
		return row.State(), nil, at
	}
	isAway := there.Status == StatusArchived && (f.Rejected || f.SupersededBy != "")
	for _, field := range settled {
		when := f.Decided[field]
		isStatedSince := isAway && row.Memory.Recallable() && (seen.After(when) || there.IsTakenBack()) && slices.Contains(ends, field)
		if !when.After(decided[field]) || isStatedSince {
			continue
		}
		if fields = append(fields, field); at.IsZero() || when.Before(at) {
			at = when
		}
	}
	if !at.IsZero() {
		fields = slices.DeleteFunc(fields, func(field string) bool { return !f.Decided[field].Equal(at) })
		return f.decided(row, there, fields, at, isAway), fields, at
	}
	if s = row.State(); row.Rejected && there.Recallable() && f.Seen.After(decided["status"]) {
		s.Status, s.RetiredAt, s.SupersededBy, s.Detail = StatusActive, time.Time{}, "", withoutArchivedLine(s.Detail)
		return s, ends, f.Seen
	}
	return s, nil, at
}

// decided returns the state of a row with the fields that a decision on the other machine set. The tags for the sessions
// in which the user said the memory stay.
func (f Fate) decided(row Row, there Memory, names []string, at time.Time, isAway bool) State {
	s := row.State()
	isFaded := s.Status == StatusArchived && !row.Rejected && s.SupersededBy == "" // a policy archived it
	switch isDecided := slices.Contains(names, "status"); {
	case there.Recallable() && (isDecided || isFaded), isAway && isDecided:
		names = append(slices.Clone(names), "status", "retired_at")
	default: // a policy archives the memory on this machine itself
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "status" })
	}
	there.Tags = retagged(there.Tags, row.Memory.SaidTags(), nil)
	is := Row{Memory: there, SupersededBy: f.SupersededBy}
	if isAway {
		is.RetiredAt = at
	}
	return s.Patch(names, is.State())
}

// Inherited lists the fields of a memory about which a decision also holds for the text that an edit puts in its place.
func Inherited() []string { return []string{"kind", "tags", "importance", "pinned"} }

// Bequeath returns the state of the heir of a memory with a field decided as that of the memory.
func (r Row) Bequeath(heir Row, field string) State {
	return Fate{}.decided(heir, r.Memory, []string{field}, time.Time{}, false)
}

// IsEdited reports whether an edit put another text in the place of the memory. A model may put a fact there, too.
func (r Row) IsEdited() bool {
	first, _, _ := strings.Cut(r.Memory.Detail, "\n")
	return r.SupersededBy != "" && strings.Contains(first, replacedBy+r.SupersededBy)
}
