package policy_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
)

// TestReportedMemoriesStayInTheirProject: however often a memory from an import, a tool, a page or
// a report is seen and used, it does not reach the user, and corrects or merges no row of a more
// trusted source. The examples have what promotes a row of the assistant's; random rows seldom do.
func TestReportedMemoriesStayInTheirProject(t *testing.T) {
	for source, want := range map[memory.Source]string{
		memory.SourceAssistant: policy.KindPromote, memory.SourceUser: policy.KindPromote, memory.SourceImport: "", memory.SourceTool: "",
	} {
		used := row("a", "exports run at night", func(r *policy.Row) {
			r.Memory.Source, r.Memory.Importance = source, 0.9
			r.Uses, r.Sessions, r.Projects = 9, 9, 2
		})
		if got := actionOf(mustPlan(t)(policy.Promote(now(), []policy.Row{used})), "a").Kind; got != want {
			t.Errorf("a row by %q, used 9 times in 2 projects: %q, want %q", source, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		drawn := rows(t)
		byID := map[string]policy.Row{}
		for _, r := range drawn {
			byID[r.Memory.ID] = r
		}
		promoted, err := policy.Promote(now(), drawn)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range promoted.Actions {
			m := byID[a.Memory].Memory
			if a.After.Scope == memory.ScopeUser && a.Before.Scope != memory.ScopeUser && (m.IsHearsay() || m.Source == memory.SourceImport) {
				t.Errorf("%s of %q reaches the user", a.Memory, m.Source)
			}
		}
		deduped, err := policy.Dedup(now(), drawn)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range deduped.Actions {
			for _, by := range []string{changedTo(a.Before.SupersededBy, a.After.SupersededBy), changedTo(a.Before.MergedInto, a.After.MergedInto)} {
				if by != "" && byID[by].Memory.Source.Trust() < byID[a.Memory].Memory.Source.Trust() {
					t.Errorf("%s by %q gives way to %s by %q", a.Memory, byID[a.Memory].Memory.Source, by, byID[by].Memory.Source)
				}
			}
		}
	})
}

func changedTo(before, after string) string {
	if before == after {
		return ""
	}
	return after
}

// TestReportedMemoriesComeBackFromTheUser: an older version promoted them.
func TestReportedMemoriesComeBackFromTheUser(t *testing.T) {
	there := func(source memory.Source) policy.Row {
		return row("a", "`make` works after: export PATH", func(r *policy.Row) {
			r.Memory.Scope, r.Memory.Project, r.Memory.Source, r.Memory.Importance = memory.ScopeUser, "", source, 0.9
			r.Uses, r.Sessions, r.Projects = 9, 9, 9
		})
	}
	p := mustPlan(t)(policy.Promote(now(), []policy.Row{there(memory.SourceTool)}))
	if got := actionOf(p, "a"); got.Kind != policy.KindDemote || got.After.Scope != memory.ScopeProject || got.After.Project != "shop" {
		t.Errorf("a tool's: %+v", got)
	}
	p = mustPlan(t)(policy.Promote(now(), []policy.Row{there(memory.SourceAssistant)}))
	if len(p.Actions) != 0 {
		t.Errorf("the assistant's: %+v", p.Actions)
	}
}
