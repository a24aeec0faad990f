// Package policy decides the fate of memories: how strong they are, which scope they get, which are the same, and which
// are archived. Every decision is a pure function of the time, the rules and the rows. Its result is a plan that gives
// each change with the state before, the state after and a reason in words. The package does no I/O, reads no clock and
// uses no randomness. No plan adds or removes a row.
package policy

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Now is the time that a plan is made for.
type Now struct {
	Time time.Time
	// Clocks are the clocks of active days by project key; "" is the user's, which runs when any project's does.
	Clocks map[string]Clock
}

// The kinds of action.
const (
	KindPromote     = "promote"     // gets a wider scope, or a greater importance
	KindArchive     = "archive"     // archived, can be restored
	KindMerge       = "merge"       // takes over the uses and tags of its duplicates
	KindConsolidate = "consolidate" // is a duplicate: keeps its text, and names the memory that took it over
	KindReinstate   = "reinstate"   // was seen again after its correction, so it is active again
)

// Plan lists the changes to make, at most one action for each row, ordered by memory id.
type Plan struct {
	Actions []memory.Action
	// Notes name the omitted actions and the reasons.
	Notes []string
}

// Protected reports whether a row is never archived for weakness or for the budget. This holds for
// rows that are pinned, written by the user, said again, or exempt, and for a decision or an open
// todo that is not guessed. No plan changes an exempt row at all.
func Protected(r memory.Row) bool {
	m := r.Memory
	stands := m.Kind == memory.KindDecision || m.Kind == memory.KindTodo
	isGuessed := m.Source == memory.SourceUser // by a rule, from a prompt in which the person did not ask to keep it
	return r.Exempt || m.Pinned || r.UserWritten || m.IsSaidAgain() || stands && !isGuessed
}

// isCurrent reports whether recall may show the row and no other row supersedes it.
func isCurrent(r memory.Row) bool {
	return r.Memory.IsRecallable() && r.SupersededBy == ""
}
