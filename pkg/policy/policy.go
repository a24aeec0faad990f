// Package policy decides what becomes of memories: how strong they are, which
// reach further, which are the same, which are put away, and what repeated
// events teach. Every decision is a pure function of the time, the rules and the
// rows, and its outcome is a plan that gives each change with the state before,
// the state after and a reason in words. It refuses to load, to apply to a store,
// to read a clock or to toss a coin, and it refuses to plan on rows that
// contradict themselves. No plan adds or removes a row, except for the facts that
// Distil proposes.
package policy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The errors a caller can tell apart.
var (
	// ErrInconsistent: rows, rules or time contradict themselves, and no plan was made.
	ErrInconsistent = errors.New("inconsistent input")
	// ErrStale: a row is no longer as the plan found it, and nothing was applied.
	ErrStale = errors.New("changed since it was planned")
)

// Now is the moment that a plan is made for.
type Now struct {
	Time time.Time
	// ActiveDays is the reading of each project's clock of active days, by project
	// key; "" is the user's clock, which runs when any project's does. See
	// ActiveDays, the function.
	ActiveDays map[string]float64
}

// Row is a memory with what policies need to know of it. All of it is stored
// state: nothing in a row depends on when it is looked at.
type Row struct {
	Memory memory.Memory `json:"memory"`

	// Home is the key of the project that showed the memory first: where a memory
	// of user scope goes back to. Empty means unknown, and then it stays.
	Home string `json:"home,omitempty"`

	// Uses counts uses that prove worth: recalled on request, or injected and then
	// touched by the session. At most one a session. 0 or more.
	Uses int `json:"uses"`
	// Sessions and Projects count the distinct ones that showed the memory. 0 or more.
	Sessions int `json:"sessions"`
	Projects int `json:"projects"`

	// UsedOn is the reading of the clock of the memory's project (of the user's
	// clock in user scope) when the memory was last used, or else created. Active
	// days, 0 or more.
	UsedOn float64 `json:"used_on"`
	// RetiredAt is when Status last became archived or forgotten. The zero time
	// means unknown, and then no grace period ends.
	RetiredAt time.Time `json:"retired_at,omitzero"`

	// UserWritten says that a person asked for it to be kept; Done that a todo is
	// finished.
	UserWritten bool `json:"user_written,omitempty"`
	Done        bool `json:"done,omitempty"`

	// SupersededBy is the memory that corrects this one, MergedInto the one that
	// says the same and is kept in its stead, DerivedFrom what this one was made
	// of. Ids; empty for none.
	SupersededBy string   `json:"superseded_by,omitempty"`
	MergedInto   string   `json:"merged_into,omitempty"`
	DerivedFrom  []string `json:"derived_from,omitempty"`
}

// State is the part of a row that plans change.
type State struct {
	Project       string        `json:"project"`
	Scope         memory.Scope  `json:"scope"`
	Status        memory.Status `json:"status"`
	Content       string        `json:"content"`
	Detail        string        `json:"detail,omitempty"`
	Tags          []string      `json:"tags,omitempty"`
	Importance    float64       `json:"importance"`
	TokenCount    int           `json:"token_count"`
	TokenEncoding string        `json:"token_encoding"`
	CreatedAt     time.Time     `json:"created_at"`
	LastSeenAt    time.Time     `json:"last_seen_at"`
	Home          string        `json:"home,omitempty"`
	Uses          int           `json:"uses"`
	Sessions      int           `json:"sessions"`
	Projects      int           `json:"projects"`
	UsedOn        float64       `json:"used_on"`
	RetiredAt     time.Time     `json:"retired_at,omitzero"`
	SupersededBy  string        `json:"superseded_by,omitempty"`
	MergedInto    string        `json:"merged_into,omitempty"`
	DerivedFrom   []string      `json:"derived_from,omitempty"`
}

// State returns the part of the row that plans change.
func (r Row) State() State {
	m := r.Memory
	return State{
		Project: m.Project, Scope: m.Scope, Status: m.Status, Content: m.Content, Detail: m.Detail, Tags: m.Tags,
		Importance: m.Importance, TokenCount: m.TokenCount, TokenEncoding: m.TokenEncoding,
		CreatedAt: m.CreatedAt, LastSeenAt: m.LastSeenAt, Home: r.Home,
		Uses: r.Uses, Sessions: r.Sessions, Projects: r.Projects, UsedOn: r.UsedOn, RetiredAt: r.RetiredAt,
		SupersededBy: r.SupersededBy, MergedInto: r.MergedInto, DerivedFrom: r.DerivedFrom,
	}
}

// With returns the row in another state.
func (r Row) With(s State) Row {
	m := &r.Memory
	m.Project, m.Scope, m.Status, m.Content, m.Detail, m.Tags = s.Project, s.Scope, s.Status, s.Content, s.Detail, s.Tags
	m.Importance, m.TokenCount, m.TokenEncoding = s.Importance, s.TokenCount, s.TokenEncoding
	m.CreatedAt, m.LastSeenAt = s.CreatedAt, s.LastSeenAt
	r.Home, r.Uses, r.Sessions, r.Projects, r.UsedOn, r.RetiredAt = s.Home, s.Uses, s.Sessions, s.Projects, s.UsedOn, s.RetiredAt
	r.SupersededBy, r.MergedInto, r.DerivedFrom = s.SupersededBy, s.MergedInto, s.DerivedFrom
	return r
}

// Kind says what an action does to its memory.
type Kind string

// The kinds of action.
const (
	KindPromote     Kind = "promote"     // reaches further: a wider scope
	KindDemote      Kind = "demote"      // reaches less far
	KindArchive     Kind = "archive"     // out of sight, restorable
	KindForget      Kind = "forget"      // archived long enough: the text goes, the row stays
	KindMerge       Kind = "merge"       // takes in others that say the same
	KindConsolidate Kind = "consolidate" // is taken in: keeps its text and points at the one that took it
	KindSupersede   Kind = "supersede"   // is corrected by a newer one; both stay
	KindReinstate   Kind = "reinstate"   // was seen again after its correction: holds again
	KindUpdate      Kind = "update"      // a distilled fact has new evidence
)

// Action is one change of one row.
type Action struct {
	Memory string `json:"memory"`
	Kind   Kind   `json:"kind"`
	Before State  `json:"before"`
	After  State  `json:"after"`
	Reason string `json:"reason"`
}

// Plan is what is to be done, with at most one action a row, ordered by memory id.
type Plan struct {
	Actions []Action `json:"actions"`
	// Facts are new rows, by Distil only, ordered by id.
	Facts []Fact `json:"facts,omitempty"`
	// TokensFreed is the sum of the exact token counts of the rows that leave
	// sight (archived or consolidated).
	TokensFreed int `json:"tokens_freed"`
	// Notes say in words what was left undone and why.
	Notes []string `json:"notes,omitempty"`
}

// Apply returns the rows as they are after the plan, in their order, followed by
// the plan's facts. The rows given are not changed. ErrStale if an action's row
// is missing or no longer as the plan found it.
func Apply(rows []Row, plan Plan) ([]Row, error) {
	actions := make(map[string]Action, len(plan.Actions))
	for _, action := range plan.Actions {
		actions[action.Memory] = action
	}
	applied := make([]Row, 0, len(rows)+len(plan.Facts))
	for _, row := range rows {
		action, planned := actions[row.Memory.ID]
		if planned {
			if changed := Changed(row.State(), action.Before); len(changed) > 0 {
				return nil, fmt.Errorf("%s memory %s: %s: %w", action.Kind, row.Memory.ID, changed[0], ErrStale)
			}
			row = row.With(action.After)
			delete(actions, row.Memory.ID)
		}
		applied = append(applied, row)
	}
	for _, id := range slices.Sorted(maps.Keys(actions)) {
		return nil, fmt.Errorf("%s memory %s: is missing: %w", actions[id].Kind, id, ErrStale)
	}
	for _, fact := range plan.Facts {
		applied = append(applied, fact.Row)
	}
	return applied, nil
}

// Changed names the fields, by their JSON names, in which two states differ.
func Changed(a, b State) []string {
	var names []string
	note := func(name string, same bool) {
		if !same {
			names = append(names, name)
		}
	}
	note("project", a.Project == b.Project)
	note("scope", a.Scope == b.Scope)
	note("status", a.Status == b.Status)
	note("content", a.Content == b.Content)
	note("detail", a.Detail == b.Detail)
	note("tags", slices.Equal(a.Tags, b.Tags))
	note("importance", a.Importance == b.Importance)
	note("token_count", a.TokenCount == b.TokenCount)
	note("token_encoding", a.TokenEncoding == b.TokenEncoding)
	note("created_at", a.CreatedAt.Equal(b.CreatedAt))
	note("last_seen_at", a.LastSeenAt.Equal(b.LastSeenAt))
	note("home", a.Home == b.Home)
	note("uses", a.Uses == b.Uses)
	note("sessions", a.Sessions == b.Sessions)
	note("projects", a.Projects == b.Projects)
	note("used_on", a.UsedOn == b.UsedOn)
	note("retired_at", a.RetiredAt.Equal(b.RetiredAt))
	note("superseded_by", a.SupersededBy == b.SupersededBy)
	note("merged_into", a.MergedInto == b.MergedInto)
	note("derived_from", slices.Equal(a.DerivedFrom, b.DerivedFrom))
	return names
}

// Protected says whether a row is never put away for weakness or for room:
// pinned, a decision, a todo that is open, or written by the user.
func (r Row) Protected() bool {
	m := r.Memory
	return m.Pinned || m.Kind == memory.KindDecision || (m.Kind == memory.KindTodo && !r.Done) || r.UserWritten
}

// alive says whether recall may show the row.
func (r Row) alive() bool {
	return r.Memory.Status == memory.StatusActive || r.Memory.Status == memory.StatusCreated
}

// clock is the key of the clock that a row ages by.
func (r Row) clock() string {
	if r.Memory.Scope == memory.ScopeUser {
		return ""
	}
	return r.Memory.Project
}

// byID is the order in which everything is looked at, so that the order of the
// input never matters.
func byID(rows []Row) []Row {
	return slices.SortedFunc(slices.Values(rows), func(a, b Row) int { return cmp.Compare(a.Memory.ID, b.Memory.ID) })
}
