package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Fate is what a memory's row has beside the memory that another machine of the user's has to know: whether a person asked
// for it, and what a person or a model decided about it since it was stored.
type Fate struct {
	UserWritten  bool      `json:"user_written,omitempty"`
	DecidedAt    time.Time `json:"decided_at,omitzero"` // the time of the last decision; zero: there was none
	Rejected     bool      `json:"rejected,omitempty"`
	SupersededBy string    `json:"corrected_by,omitempty"`
}

// Decision is the time of an action by which a person or a model, and no policy, changed a memory.
type Decision struct {
	Memory string    `column:"memory_id"`
	At     time.Time `json:"at"`
}

// Decisive lists the kinds of such actions.
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

// FateOf returns the fate of a row about which the last decision was made at a time.
func FateOf(row Row, decided time.Time) Fate {
	return Fate{row.UserWritten, decided, row.Rejected, row.SupersededBy}
}

// settled lists the fields of a row that follow a decision.
var settled = []string{"project", "scope", "kind", "detail", "tags", "importance", "pinned", "superseded_by"}

// Settle returns the state of a row after the fate that the memory has on another machine, and the time of the decision
// that it follows; the zero time if nothing changes. The last decision holds; the last one here was made at decided. A
// memory that was stated after it was put away stands; seen is when it was last stated here.
func (f Fate) Settle(row Row, there Memory, decided, seen time.Time) (s State, at time.Time) {
	s = row.State()
	isAway := there.Status == StatusArchived && (f.Rejected || f.SupersededBy != "")
	switch {
	case row.Memory.Status == StatusForgotten || row.Memory.Status == StatusConsolidated || f.DecidedAt.Equal(decided):
		return s, at
	case f.DecidedAt.After(decided):
		if isAway && row.Memory.Status.InSight() && seen.After(f.DecidedAt) {
			return s, at
		}
		s, at = f.decided(s, there, isAway), f.DecidedAt
	case row.Rejected && there.Status.InSight() && there.LastSeenAt.After(decided):
		at = there.LastSeenAt
		s.Status, s.RetiredAt, s.SupersededBy, s.Detail = StatusActive, time.Time{}, "", withoutArchivedLine(s.Detail)
	}
	if len(s.Changed(row.State())) == 0 {
		return s, time.Time{}
	}
	return s, at
}

// decided returns a state with what was decided elsewhere. The notes in which sessions the user said the memory stay.
func (f Fate) decided(s State, there Memory, isAway bool) State {
	names := settled
	if isAway || there.Status.InSight() { // what a policy archived there is archived here by the policy
		names = append(slices.Clone(names), "status", "retired_at")
	}
	said := slices.DeleteFunc(slices.Clone(s.Tags), func(tag string) bool { return !strings.HasPrefix(tag, saidIn) })
	there.Tags = retagged(there.Tags, said, nil)
	if s.Project != there.Project { // which has its own clock
		s.Home, s.UsedOn = cmp.Or(s.Home, s.Project), -1
	}
	row := Row{Memory: there, SupersededBy: f.SupersededBy}
	if isAway {
		row.RetiredAt = f.DecidedAt
	}
	return s.Patch(names, row.State())
}
