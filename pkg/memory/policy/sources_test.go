package policy_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestReportedMemoriesStayInTheirProject: however often a memory from an import, a tool, a page or
// a report is seen and used, it does not reach the user, and corrects or merges no row of a more
// trusted source. The examples have what promotes a row of the assistant's; random rows seldom do.
func TestReportedMemoriesStayInTheirProject(t *testing.T) {
	for source, want := range map[memory.Source]string{
		memory.SourceAssistant: policy.KindPromote, memory.SourceUser: policy.KindPromote, memory.SourceImport: "", memory.SourceTool: "",
	} {
		used := row("a", "exports run at night", func(r *memory.Row) {
			r.Memory.Source, r.Memory.Importance = source, 0.9
			r.Uses, r.Sessions, r.Projects = 9, 9, 2
		})
		musttest.Same(t, want, actionOf(policy.Promote([]memory.Row{used}), "a").Kind, "a row by %q, used 9 times in 2 projects", source)
	}
	rapid.Check(t, func(t *rapid.T) {
		drawn := rows(t)
		byID := map[string]memory.Row{}
		for _, r := range drawn {
			byID[r.Memory.ID] = r
		}
		promoted := policy.Promote(drawn)
		for _, a := range promoted.Actions {
			m := byID[a.Memory].Memory
			if a.After.Scope == memory.ScopeUser && a.Before.Scope != memory.ScopeUser && (m.IsHearsay() || m.Source == memory.SourceImport) {
				t.Errorf("%s of %q reaches the user", a.Memory, m.Source)
			}
		}
		deduped := policy.Dedup(drawn)
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
