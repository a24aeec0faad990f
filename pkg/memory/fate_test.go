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
	all := func(at time.Time) memory.Decided {
		return memory.Decided{"status": at, "superseded_by": at, "detail": at, "pinned": at, "tags": at}
	}
	const active, archived, consolidated = memory.StatusActive, memory.StatusArchived, memory.StatusConsolidated
	for name, c := range map[string]struct {
		here, there    memory.Status
		rejectedHere   bool
		fate           memory.Fate // without the decisions
		then           int         // the day of the decision there about all fields; 0: none
		decided, seen  int         // here
		seenThere, now int         // now is the day of the decision that holds; 0: nothing changes
		want           memory.Status
	}{
		"forgotten there":                   {active, archived, false, memory.Fate{Rejected: true}, 3, 0, 1, 1, 3, archived},
		"forgotten there, stated here then": {active, archived, false, memory.Fate{Rejected: true}, 3, 0, 4, 1, 3, active},
		"edited there":                      {active, archived, false, memory.Fate{Rejected: true, SupersededBy: "x"}, 3, 0, 1, 1, 3, archived},
		"superseded there, and not away":    {active, active, false, memory.Fate{SupersededBy: "x"}, 3, 0, 1, 1, 3, active},
		"forgotten there, restored here":    {active, archived, false, memory.Fate{Rejected: true}, 3, 5, 1, 1, 0, active},
		"restored there":                    {archived, active, true, memory.Fate{}, 5, 3, 1, 1, 5, active},
		"forgotten here, an old letter":     {archived, active, true, memory.Fate{}, 0, 3, 1, 1, 0, archived},
		"forgotten here, stated there then": {archived, active, true, memory.Fate{}, 0, 3, 1, 4, 4, active},
		"faded there after a decision":      {active, archived, false, memory.Fate{}, 3, 0, 1, 1, 3, active},
		"pinned there, faded here":          {archived, active, false, memory.Fate{}, 3, 0, 1, 1, 3, active},
		"merged here":                       {consolidated, active, false, memory.Fate{}, 5, 0, 1, 1, 0, consolidated},
		"the same decision again":           {archived, archived, true, memory.Fate{Rejected: true}, 3, 3, 1, 1, 0, archived},
		"forgotten on both":                 {archived, archived, true, memory.Fate{Rejected: true}, 4, 3, 1, 1, 4, archived},
	} {
		m := memory.Memory{ID: "m", Project: "p", Status: c.here, Tags: []string{"said-1", "old"}, LastSeenAt: day(c.seen)}
		there := memory.Memory{ID: "m", Project: "p", Status: c.there, Detail: "theirs", Tags: []string{"new"}, Pinned: true}
		row := memory.Row{Memory: m, Rejected: c.rejectedHere, RetiredAt: day(c.decided)}
		if row.Memory.Detail = "ours"; c.rejectedHere {
			row.Memory.Detail, row.SupersededBy = "Archived on 2026-11-03: wrong\nours", "z"
		}
		c.fate.Decided, c.fate.Seen = all(day(c.then)), day(c.seenThere)
		here := all(day(c.decided))
		after, _, at := c.fate.Settle(row, there, here, day(c.seen))
		if !at.Equal(day(c.now)) || after.Status != c.want {
			t.Errorf("%s: it is %s, by a decision of %s; want %s, %s", name, after.Status, at, c.want, day(c.now))
		}
		if isTheirs := c.now > 0 && c.now == c.then; isTheirs != after.Pinned || isTheirs != slices.Equal(after.Tags, []string{"new", "said-1"}) {
			t.Errorf("%s: pinned %t, tags %q", name, after.Pinned, after.Tags)
		}
		want := row.State() // superseded by, and the detail, which says that it was archived
		switch isTheirs := c.now > 0 && c.now == c.then; {
		case isTheirs && c.seen <= c.then:
			want.SupersededBy, want.Detail = c.fate.SupersededBy, there.Detail
		case c.now > 0 && c.now == c.seenThere: // stated again: it is as it was before it was archived
			want.SupersededBy, want.Detail = "", "ours"
		}
		if after.SupersededBy != want.SupersededBy || after.Detail != want.Detail {
			t.Errorf("%s: superseded by %q, detail %q; want %q, %q", name, after.SupersededBy, after.Detail, want.SupersededBy, want.Detail)
		}
	}
}

// TestADecisionAboutAFieldLeavesTheOthers settles a memory about which both machines decided something else: both decisions hold, and each
// keeps its own time.
func TestADecisionAboutAFieldLeavesTheOthers(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	edited := memory.Row{Memory: memory.Memory{ID: "m", Status: memory.StatusArchived, Kind: memory.KindNote, LastSeenAt: day(1)}, Rejected: true, SupersededBy: "x", RetiredAt: day(3)}
	there := memory.Memory{ID: "m", Status: memory.StatusActive, Kind: memory.KindDecision, Pinned: true, LastSeenAt: day(1)}
	here := memory.Decided{"status": day(3), "superseded_by": day(3), "detail": day(3), "kind": day(5)}
	fate := memory.Fate{Decided: memory.Decided{"kind": day(4), "pinned": day(6)}}
	after, _, at := fate.Settle(edited, there, here, day(1))
	if changed := after.Changed(edited.State()); !at.Equal(day(6)) || !slices.Equal(changed, []string{"pinned"}) {
		t.Errorf("what was edited here, and pinned there: %q changed, by a decision of %s; want pinned, of day 6", changed, at)
	}
	fate = memory.FateOf(edited, here)
	row, pinned := memory.Row{Memory: there}, memory.Decided{"kind": day(4), "pinned": day(6)}
	for _, want := range []struct {
		day     int
		changed []string
	}{{3, []string{"status", "retired_at", "superseded_by"}}, {5, []string{"kind"}}} {
		after, fields, at := fate.Settle(row, edited.Memory, pinned, day(1))
		if changed := after.Changed(row.State()); !at.Equal(day(want.day)) || !slices.Equal(changed, want.changed) {
			t.Errorf("what was pinned here, and edited there: %q changed, by a decision of %s; want %q, of day %d", changed, at, want.changed, want.day)
		}
		row = row.With(after)
		for _, field := range fields {
			pinned[field] = at
		}
	}
	if _, _, at := fate.Settle(row, edited.Memory, pinned, day(1)); !at.IsZero() {
		t.Errorf("a decision of %s is carried out again", at)
	}
}
