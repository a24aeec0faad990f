package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Fate has the fields of a memory's row that memory sync sends to the user's other machines together with the memory:
// whether a person asked for it, and the last decision about it.
type Fate struct {
	UserWritten  bool      `json:"user_written,omitempty"`
	DecidedAt    time.Time `json:"decided_at,omitzero"` // time of the last decision; zero: no decision was made
	Rejected     bool      `json:"rejected,omitempty"`
	SupersededBy string    `json:"corrected_by,omitempty"`
}

// Decision records when a person or a model, not a policy, changed a memory.
type Decision struct {
	Memory string    `column:"memory_id"`
	At     time.Time `json:"at"`
}

// Decisive lists the kinds of actions that are decisions.
func Decisive() []string { return []string{ActionAmend, "supersede", "repeat", "widen"} }

// LastDecisions returns the time of the last decision about each memory.
func LastDecisions(all []Decision) map[string]time.Time {
	last := map[string]time.Time{}
	for _, one := range all {
		if one.At.After(last[one.Memory]) {
			last[one.Memory] = one.At
		}
	}
	return last
}

// FateOf returns the fate of a row. decided is the time of the last decision about the row.
func FateOf(row Row, decided time.Time) Fate {
	return Fate{row.UserWritten, decided, row.Rejected, row.SupersededBy}
}

// settled lists the fields that a decision on another machine sets here.
var settled = []string{"project", "scope", "kind", "detail", "tags", "importance", "pinned", "superseded_by"}

// Settle returns the state of a row after a decision on another machine, where the memory is there and its fate is f,
// and the time of that decision, or the zero time if nothing changes. The later decision holds; decided is the time
// of the last decision here. A memory that was stated again after it was archived stays active; seen is the time when
// it was last stated here.
func (f Fate) Settle(row Row, there Memory, decided, seen time.Time) (s State, at time.Time) {
	s = row.State()
	isAway := there.Status == StatusArchived && (f.Rejected || f.SupersededBy != "")
	switch {
	case row.Memory.Status == StatusForgotten || row.Memory.Status == StatusConsolidated || f.DecidedAt.Equal(decided):
		return s, at
	case f.DecidedAt.After(decided):
		if isAway && row.Memory.Recallable() && seen.After(f.DecidedAt) {
			return s, at
		}
		s, at = f.decided(s, there, isAway), f.DecidedAt
	case row.Rejected && there.Recallable() && there.LastSeenAt.After(decided):
		at = there.LastSeenAt
		s.Status, s.RetiredAt, s.SupersededBy, s.Detail = StatusActive, time.Time{}, "", withoutArchivedLine(s.Detail)
	}
	if len(s.Changed(row.State())) == 0 {
		return s, time.Time{}
	}
	return s, at
}

// decided returns a state with the fields that the decision on the other machine sets. The tags for the sessions in
// which the user said the memory stay.
func (f Fate) decided(s State, there Memory, isAway bool) State {
	names := settled
	if isAway || there.Recallable() { // a policy archives the memory on this machine itself
		names = append(slices.Clone(names), "status", "retired_at")
	}
	said := slices.DeleteFunc(slices.Clone(s.Tags), func(tag string) bool { return !strings.HasPrefix(tag, saidIn) })
	there.Tags = retagged(there.Tags, said, nil)
	if s.Project != there.Project { // each project has its own clock
		s.Home, s.UsedOn = cmp.Or(s.Home, s.Project), -1
	}
	row := Row{Memory: there, SupersededBy: f.SupersededBy}
	if isAway {
		row.RetiredAt = f.DecidedAt
	}
	return s.Patch(names, row.State())
}
