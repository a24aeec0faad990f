package memory_test

import (
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestTheLastDecisionHolds settles a memory that was stated here on day 1 with what another machine says of it, and the days on which
// both decided.
func TestTheLastDecisionHolds(t *testing.T) {
	day := func(n int) time.Time {
		if n == 0 {
			return time.Time{}
		}
		return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC)
	}
	const active, archived, forgotten, consolidated = memory.StatusActive, memory.StatusArchived, memory.StatusForgotten, memory.StatusConsolidated
	for name, c := range map[string]struct {
		here, there    memory.Status
		rejectedHere   bool
		fate           memory.Fate
		decided, seen  int // here
		seenThere, now int // now is the day of the decision that holds; 0: nothing changes
		want           memory.Status
	}{
		"forgotten there":                   {active, archived, false, memory.Fate{DecidedAt: day(3), Rejected: true}, 0, 1, 1, 3, archived},
		"forgotten there, stated here then": {active, archived, false, memory.Fate{DecidedAt: day(3), Rejected: true}, 0, 4, 1, 0, active},
		"edited there":                      {active, archived, false, memory.Fate{DecidedAt: day(3), Rejected: true, SupersededBy: "x"}, 0, 1, 1, 3, archived},
		"superseded there, and not away":    {active, active, false, memory.Fate{DecidedAt: day(3), SupersededBy: "x"}, 0, 1, 1, 3, active},
		"forgotten there, restored here":    {active, archived, false, memory.Fate{DecidedAt: day(3), Rejected: true}, 5, 1, 1, 0, active},
		"restored there":                    {archived, active, true, memory.Fate{DecidedAt: day(5)}, 3, 1, 1, 5, active},
		"forgotten here, an old letter":     {archived, active, true, memory.Fate{}, 3, 1, 1, 0, archived},
		"forgotten here, stated there then": {archived, active, true, memory.Fate{}, 3, 1, 4, 4, active},
		"faded there after a decision":      {active, archived, false, memory.Fate{DecidedAt: day(3)}, 0, 1, 1, 3, active},
		"pinned there, faded here":          {archived, active, false, memory.Fate{DecidedAt: day(3)}, 0, 1, 1, 3, active},
		"its text is gone here":             {forgotten, active, true, memory.Fate{DecidedAt: day(5)}, 3, 1, 1, 0, forgotten},
		"merged here":                       {consolidated, active, false, memory.Fate{DecidedAt: day(5)}, 0, 1, 1, 0, consolidated},
		"the same decision again":           {archived, archived, true, memory.Fate{DecidedAt: day(3), Rejected: true}, 3, 1, 1, 0, archived},
		"forgotten on both":                 {archived, archived, true, memory.Fate{DecidedAt: day(4), Rejected: true}, 3, 1, 1, 4, archived},
	} {
		m := memory.Memory{ID: "m", Project: "p", Status: c.here, Tags: []string{"said-1", "old"}, LastSeenAt: day(c.seen)}
		there := memory.Memory{ID: "m", Project: "p", Status: c.there, Detail: "theirs", Tags: []string{"new"}, Pinned: true, LastSeenAt: day(c.seenThere)}
		row := memory.Row{Memory: m, Rejected: c.rejectedHere, RetiredAt: day(c.decided)}
		if row.Memory.Detail = "ours"; c.rejectedHere {
			row.Memory.Detail, row.SupersededBy = "Archived on 2026-11-03: wrong\nours", "z"
		}
		after, at := c.fate.Settle(row, there, day(c.decided), day(c.seen))
		if !at.Equal(day(c.now)) || after.Status != c.want {
			t.Errorf("%s: it is %s, by a decision of %s; want %s, %s", name, after.Status, at, c.want, day(c.now))
		}
		if isTheirs := c.now > 0 && at.Equal(c.fate.DecidedAt); isTheirs != after.Pinned || isTheirs != slices.Equal(after.Tags, []string{"new", "said-1"}) {
			t.Errorf("%s: pinned %t, tags %q", name, after.Pinned, after.Tags)
		}
		want := row.State() // superseded by, and the detail, which says that it was archived
		switch isTheirs := c.now > 0 && at.Equal(c.fate.DecidedAt); {
		case isTheirs:
			want.SupersededBy, want.Detail = c.fate.SupersededBy, there.Detail
		case c.now > 0: // stated again: it is as it was before it was archived
			want.SupersededBy, want.Detail = "", "ours"
		}
		if after.SupersededBy != want.SupersededBy || after.Detail != want.Detail {
			t.Errorf("%s: superseded by %q, detail %q; want %q, %q", name, after.SupersededBy, after.Detail, want.SupersededBy, want.Detail)
		}
	}
}
