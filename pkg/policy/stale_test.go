package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
)

// about makes a row name a file and have its fingerprint.
func about(r *policy.Row) {
	r.Memory.Files, r.Memory.Fingerprints = []string{"other.go", "shop/price.go"}, map[string]string{"shop/price.go": "x"}
}

func TestAStaleRowIsLoweredOnceAndRaisedAgain(t *testing.T) {
	rows := []policy.Row{
		row("changed", "one", about), row("same", "three", about),
		row("pinned", "four", about, func(r *policy.Row) { r.Memory.Pinned = true }),
		row("asked", "five", about, func(r *policy.Row) { r.UserWritten = true }),
		row("undone", "six", about, func(r *policy.Row) { r.Exempt = true }),
		row("archived", "seven", about, func(r *policy.Row) { r.Memory.Status = memory.StatusArchived }),
		row("back", "eight", about, func(r *policy.Row) { r.Memory.Importance, r.Memory.Tags = 0.35, []string{"db", policy.TagStale} }),
	}
	changes := map[string]bool{"changed": true, "pinned": true, "asked": true, "undone": true, "archived": true}
	plan := mustPlan(t)(policy.Stale(now(), rows, changes))
	type outcome struct {
		Kind       string
		Importance float64
		Tags       []string
		Reason     string
	}
	got := map[string]outcome{}
	for i, a := range plan.Actions {
		got[a.Memory] = outcome{a.Kind, a.After.Importance, a.After.Tags, a.Reason}
		at := slices.IndexFunc(rows, func(r policy.Row) bool { return r.Memory.ID == plan.Actions[i].Memory })
		rows[at] = rows[at].With(a.After)
	}
	want := map[string]outcome{
		"changed": {policy.KindDemote, 0.3, []string{"stale"}, "shop/price.go: changed much since it was stated; its importance is lowered"},
		"back":    {policy.KindPromote, 0.7, []string{"db"}, "shop/price.go: again much as when it was stated; its importance is as before"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	if again := mustPlan(t)(policy.Stale(now(), rows, changes)); len(again.Actions) > 0 {
		t.Errorf("again it does %+v", again.Actions)
	}
	back := mustPlan(t)(policy.Stale(now(), rows, nil))
	if a := actionOf(back, "changed"); a.After.Importance != 0.6 || len(a.After.Tags) > 0 {
		t.Errorf("it is back, and it does %+v", a)
	}
}

// A stale row is not demoted for its importance: its files may come back.
func TestAStaleRowKeepsItsReach(t *testing.T) {
	lowered := row("stale", "one", about, func(r *policy.Row) { r.Memory.Importance, r.Memory.Tags = 0.2, []string{policy.TagStale} })
	weak := row("weak", "two", about, func(r *policy.Row) { r.Memory.Importance = 0.2 })
	plan := mustPlan(t)(policy.Promote(now(), []policy.Row{lowered, weak}))
	if len(plan.Actions) != 1 || plan.Actions[0].Memory != "weak" || !strings.Contains(plan.Actions[0].Reason, "from project to session") {
		t.Errorf("actions %+v", plan.Actions)
	}
}

// The user's statements are of the project, whatever their importance.
func TestARowOfTheProjectKeepsItsReach(t *testing.T) {
	plan := mustPlan(t)(policy.Promote(now(), []policy.Row{
		row("stated", "two", func(r *policy.Row) { r.Memory.Importance, r.Memory.Source = 0.2, memory.SourceUser }),
	}))
	if len(plan.Actions) != 0 {
		t.Errorf("actions %+v", plan.Actions)
	}
}
