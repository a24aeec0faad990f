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

	Seen time.Time `json:"-"` // when the memory was last stated on its machine, by that machine's clock
}

// Known returns the latest time of the decisions and the statement.
func (f Fate) Known() time.Time {
	return slices.MaxFunc(append(slices.Collect(maps.Values(f.Decided)), f.Seen), time.Time.Compare)
}

// Decided has the time of the last decision about each field of a memory's State, by the field's name.
type Decided map[string]time.Time

// Decision records when a person or a model, not a policy, changed a memory, and which fields of its State.
type Decision struct {
	Memory string    `column:"memory_id"`
	At     time.Time `json:"at"`
	Fields []string  `json:"fields"`
}

// DecisionKinds lists the kinds of actions that are decisions.
func DecisionKinds() []string { return []string{ActionAmend, "supersede", "repeat", "widen"} }

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

// FateOf returns the fate of a row with the given last decisions.
func FateOf(row Row, decided Decided) Fate {
	return Fate{UserWritten: row.UserWritten, Decided: decided, Rejected: row.Rejected, SupersededBy: row.SupersededBy}
}

// settled lists the fields that a decision on another machine sets here. Those in ends say whether the memory stands, those in reach in
// which projects it is recalled.
var (
	settled = slices.Concat(reach, []string{"kind", "tags", "importance", "pinned"}, ends)
	ends    = []string{"status", "superseded_by", "detail"}
	reach   = []string{"project", "scope"}
)

// Settle takes over the oldest decision of another machine that this machine does not know. It returns the new state of the row, the decided
// fields, and the time of the decision (zero if there is none). there and f are the memory and its fate on the other machine; decided are the
// last decisions here, and seen is when the memory was last stated here. Of two decisions about a field the later one holds. A statement, here
// or there, undoes earlier decisions to archive, supersede or narrow the memory. What was stated here is not affected if the user took the
// memory back there.
func (f Fate) Settle(row Row, there Memory, decided Decided, seen time.Time) (s State, fields []string, at time.Time) {
	if row.Memory.Status == StatusConsolidated {
		return row.State(), nil, at
	}
	isAway := there.Status == StatusArchived && (f.Rejected || f.SupersededBy != "")
	for _, field := range settled {
		when := f.Decided[field]
		isOver := (isAway || f.SupersededBy != "" && there.IsUsersWord()) && row.Memory.IsRecallable() && slices.Contains(ends, field)
		isNarrowed := row.isNarrowedBy(there) && slices.Contains(reach, field)
		isStatedSince := (isOver || isNarrowed) && (seen.After(when) || there.IsTakenBack())
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
	s = row.State()
	isSuperseded := row.SupersededBy != "" && f.SupersededBy == "" && there.IsUsersWord() && f.Seen.After(decided["superseded_by"])
	switch {
	case there.IsRecallable() && (row.Rejected && f.Seen.After(decided["status"]) || !row.Rejected && isSuperseded):
		s.Status, s.RetiredAt, s.SupersededBy, s.Detail = StatusActive, time.Time{}, "", withoutArchivedLine(s.Detail)
		return s, ends, f.Seen
	case (Row{Memory: there}).isNarrowedBy(row.Memory) && f.Seen.After(decided["scope"]):
		s.Scope, s.Project = there.Scope, ""
		return s, reach, f.Seen
	}
	return s, nil, at
}

// isNarrowedBy reports whether the memory was stated for all projects, and holds in all, while m is the same memory narrowed to one.
func (r Row) isNarrowedBy(m Memory) bool {
	return r.Memory.Scope == ScopeUser && m.Scope == ScopeProject && r.Memory.ID == NewID(ScopeUser, "", m.Content)
}

// decided returns the state of a row with the fields that a decision on the other machine set. The row keeps its said tags.
func (f Fate) decided(row Row, there Memory, names []string, at time.Time, isAway bool) State {
	s := row.State()
	isFaded := s.Status == StatusArchived && !row.Rejected && s.SupersededBy == "" // a policy archived it
	switch isDecided := slices.Contains(names, "status"); {
	case there.IsRecallable() && (isDecided || isFaded), isAway && isDecided:
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

// InheritedFields lists the fields that an edit passes on to the memory with the new text.
func InheritedFields() []string { return []string{"kind", "tags", "importance", "pinned"} }

// CopyFieldTo returns the state of heir with the value that r has in one field.
func (r Row) CopyFieldTo(heir Row, field string) State {
	return Fate{}.decided(heir, r.Memory, []string{field}, time.Time{}, false)
}

// IsEdited reports whether an edit put another text in the place of the memory. A fact may supersede a memory without an edit.
func (r Row) IsEdited() bool {
	first, _, _ := strings.Cut(r.Memory.Detail, "\n")
	return r.SupersededBy != "" && strings.Contains(first, replacedBy+r.SupersededBy)
}
