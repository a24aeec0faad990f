package policy_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var update = flag.Bool("update", false, "write the golden files")

// The store of testdata/store.json is a small shop's, made by hand so that each
// rule has a row that meets it and one that just does not.
func loadStore(t *testing.T) []memory.Row {
	t.Helper()
	raw := musttest.Get(os.ReadFile(filepath.Join("testdata", "store.json")))(t)
	var rows []memory.Row
	musttest.Do(t, json.Unmarshal(raw, &rows))
	return rows
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		musttest.Do(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want := musttest.Get(os.ReadFile(path))(t)
	musttest.Same(t, string(want), got, "%s (-want +got; go test -update writes it)", path)
}

func TestGoldenPlans(t *testing.T) {
	store := loadStore(t)
	for _, p := range planners {
		t.Run(p.name, func(t *testing.T) { golden(t, p.name, describe(store, p.plan(now(), policy.UsualLimits(), store))) })
	}
}

// A memory extracted from a prompt fades; one that somebody asked to keep does not.
func TestOnlyGuessedMemoriesFade(t *testing.T) {
	limits := policy.UsualLimits()
	for _, kind := range []memory.Kind{memory.KindDecision, memory.KindTodo} {
		var store []memory.Row
		for _, id := range []string{"guessed", "asked", "model"} {
			store = append(store, row(id, id, func(r *memory.Row) {
				r.UsedAt, r.Memory.Kind, r.Memory.Source = usedOn("shop", 1), kind, memory.SourceUser
				r.UserWritten = id == "asked"
				if id == "model" {
					r.Memory.Source = memory.SourceAssistant
				}
			}))
		}
		p := policy.Prune(now(), limits, store, nil)
		if len(p.Actions) != 1 || p.Actions[0].Memory != "guessed" {
			t.Errorf("%s:\n%s", kind, describe(store, p))
		}
	}
}

func TestBudgetArchivesTheWeakestUntilItFits(t *testing.T) {
	limits := policy.UsualLimits()
	var store []memory.Row
	for i, id := range []string{"strongest", "strong", "weak", "weakest", "pinned"} {
		store = append(store, row(id, id, func(r *memory.Row) {
			r.UsedAt, r.Memory.TokenCount = usedOn("shop", 120-float64(i)), 60_000
			r.Memory.Pinned = id == "pinned"
		}))
	}
	p := policy.Prune(now(), limits, store, nil)
	var gone []string
	for _, action := range p.Actions {
		gone = append(gone, action.Memory)
	}
	// 300,000 tokens, of which 200,000 may stay.
	if want := []string{"weak", "weakest"}; !slices.Equal(gone, want) {
		t.Errorf("%v went, want %v\n%s", gone, want, describe(store, p))
	}
}

func TestDedup(t *testing.T) {
	seen := func(days int) func(*memory.Row) {
		return func(r *memory.Row) { r.Memory.LastSeenAt = today.AddDate(0, 0, -days) }
	}
	for _, test := range []struct {
		name string
		rows []memory.Row
		want map[string]string
	}{
		{"another project is another fact", []memory.Row{
			row("a", "Run the linter before each commit."),
			row("b", "Run the linter before each commit", func(r *memory.Row) { r.Memory.Project = "blog" }),
		}, nil},
		{"a pinned row is not merged", []memory.Row{
			row("a", "The API server listens on port 8080.", seen(5), pinned), row("b", "The API server listens on port 9090.", seen(2)),
			row("c", "the API server listens on port 8080", seen(5), pinned),
		}, map[string]string{"b": ""}},
		{"a merged row merges nothing", []memory.Row{
			row("a", "alpha bravo charlie delta echo foxtrot"), row("b", "alpha bravo charlie delta echo foxtrot golf"),
			row("c", "alpha bravo charlie delta echo foxtrot golf hotel"),
		}, map[string]string{"b": policy.KindConsolidate, "c": policy.KindMerge}},
		{"a user's own statement is merged with the same words only", []memory.Row{
			row("a", "The worker always checks the ledger before midnight.", typed(memory.KindNote)),
			row("b", "The worker really always checks the ledger before midnight.", typed(memory.KindNote)),
		}, nil},
		{"the case of a name matters in the user's words", []memory.Row{
			row("a", "The class is Foo, behind the flag -v.", typed(memory.KindNote)), row("b", "the class is foo, behind the flag -v", typed(memory.KindNote)),
			row("c", "The class is Foo, behind the flag -V", typed(memory.KindNote)),
		}, nil},
		{"the same words guessed to be of another kind", []memory.Row{
			row("a", "Run the linter before each commit."), row("b", "run the linter before each commit", typed(memory.KindCorrection)),
		}, map[string]string{"b": policy.KindMerge, "a": policy.KindConsolidate}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := policy.Dedup(test.rows)
			got := map[string]string{}
			for _, action := range p.Actions {
				got[action.Memory] = action.Kind
			}
			for id, kind := range test.want {
				if kind == "" {
					delete(test.want, id)
				}
			}
			if len(got)+len(test.want) > 0 && !cmp.Equal(got, test.want) {
				t.Errorf("%v, want %v\n%s", got, test.want, describe(test.rows, p))
			}
		})
	}
}

// Facts of a model that are duplicates become one, which is shown where each was to be shown.
func TestDuplicateFactsUniteTheirCues(t *testing.T) {
	fact := func(kind memory.Kind, days int, cues ...string) func(*memory.Row) {
		return func(r *memory.Row) {
			r.Memory.Kind, r.Memory.Source, r.Memory.Title, r.Memory.Cues = kind, memory.SourceAssistant, "a fact", cues
			r.Memory.LastSeenAt = today.AddDate(0, 0, -days)
		}
	}
	everywhere := func(r *memory.Row) { r.Memory.Everywhere = true }
	const never = "Payments of the shop are never retried, because the bank retries each of them itself."
	for name, test := range map[string]struct {
		a, b string
		want [2]string // of the older and the newer; none: both stay
	}{
		"the same but for idle words": {never, "The payments of the shop are never retried because the bank really retries each of them itself", [2]string{policy.KindConsolidate, policy.KindMerge}},
		"another number":              {"The bank retries a failed payment of the shop 3 times within a day.", "The bank retries a failed payment of the shop 5 times within a day.", [2]string{}},
		"a negation":                  {"The bank retries a failed payment of the shop within a day.", "The bank never retries a failed payment of the shop within a day.", [2]string{}},
		"other words":                 {never, "The shop leaves it to the bank to try a payment again.", [2]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			rows := []memory.Row{row("a", test.a, fact(memory.KindConvention, 5, "payment timeout", "retry")), row("b", test.b, fact(memory.KindDiscovery, 2, "card charged twice", "retry"), everywhere)}
			p := policy.Dedup(rows)
			if got := [2]string{actionOf(p, "a").Kind, actionOf(p, "b").Kind}; got != test.want {
				t.Fatalf("got %v\n%s", got, describe(rows, p))
			}
			for _, action := range p.Actions {
				if action.Kind == policy.KindMerge && (!cmp.Equal(action.After.Cues, []string{"card charged twice", "payment timeout", "retry"}) || !action.After.Everywhere) {
					t.Errorf("the cues are %q, everywhere %v", action.After.Cues, action.After.Everywhere)
				}
			}
		})
	}
	rows := []memory.Row{row("a", never, fact(memory.KindConvention, 5)), row("b", never, typed(memory.KindConvention), func(r *memory.Row) { r.UserWritten = true })}
	musttest.Same(t, 0, len(policy.Dedup(rows).Actions), "a fact and the user's statement are one")
}

// typed makes a row a statement that a rule extracted from a prompt.
func typed(kind memory.Kind) func(*memory.Row) {
	return func(r *memory.Row) { r.Memory.Kind, r.Memory.Source = kind, memory.SourceUser }
}

func pinned(r *memory.Row) { r.Memory.Pinned = true }
func exempt(r *memory.Row) { r.Exempt = true }

func TestMergeSumsAndUnites(t *testing.T) {
	store := []memory.Row{
		row("a", "Always run the linter before committing", func(r *memory.Row) {
			r.Uses, r.Sessions, r.UsedAt, r.Memory.Tags, r.DerivedFrom = 2, 3, usedOn("shop", 100), []string{"lint", "ci"}, []string{"x"}
			r.Memory.Importance, r.Memory.CreatedAt = 0.4, today.AddDate(0, -3, 0)
		}),
		row("b", "Run the linter before each commit.", func(r *memory.Row) {
			r.Uses, r.Sessions, r.UsedAt, r.Memory.Tags = 1, 2, usedOn("shop", 119), []string{"ci", "git"}
			r.Memory.Importance, r.Memory.LastSeenAt = 0.8, today
		}),
	}
	p := policy.Dedup(store)
	a, b := actionOf(p, "a"), actionOf(p, "b")
	if a.Kind != policy.KindMerge || b.Kind != policy.KindConsolidate || b.After.MergedInto != "a" || b.After.Status != memory.StatusConsolidated {
		t.Fatalf("the longer should take the shorter in:\n%s", describe(store, p))
	}
	want := a.Before
	want.Uses, want.Sessions, want.UsedAt, want.Importance = 3, 3, usedOn("shop", 119), 0.8
	want.Tags, want.DerivedFrom, want.LastSeenAt = []string{"ci", "git", "lint"}, []string{"b", "x"}, today
	musttest.Same(t, want, a.After, "the survivor (-want +got)")
	musttest.Same(t, b.Before.Content, b.After.Content, "the merged row lost its text")
}

func TestPromoteUnitesMemoriesOfSeveralProjects(t *testing.T) {
	in := func(id, project string, uses int, reading float64) memory.Row {
		return row(id, "Prefers table tests.", func(r *memory.Row) {
			r.Memory.Project, r.Uses, r.UsedAt, r.Memory.Importance = project, uses, usedOn(project, reading), 0.8
		})
	}
	store := []memory.Row{in("a", "shop", 3, 120), in("b", "blog", 2, 30)}
	p := policy.Promote(store)
	a, b := actionOf(p, "a"), actionOf(p, "b")
	if a.Kind != policy.KindPromote || a.After.Scope != memory.ScopeUser || a.After.Project != "" || a.After.Projects != 2 || a.After.Uses != 5 {
		t.Errorf("a:\n%s", describe(store, p))
	}
	if want := usedOn("shop", 120); !a.After.UsedAt.Equal(want) {
		t.Errorf("last used at %s, want the latest use of both, %s", a.After.UsedAt, want)
	}
	if b.After.MergedInto != "a" || b.After.Status != memory.StatusConsolidated {
		t.Errorf("b:\n%s", describe(store, p))
	}
	for name, change := range map[string]func([]memory.Row){
		"one use less":    func(r []memory.Row) { r[0].Uses-- },
		"less important":  func(r []memory.Row) { r[0].Memory.Importance, r[1].Memory.Importance = 0.69, 0.69 },
		"an episode":      func(r []memory.Row) { r[0].Memory.Type, r[1].Memory.Type = memory.TypeEpisodic, memory.TypeEpisodic },
		"one project":     func(r []memory.Row) { r[1].Memory.Content = "Prefers something else." },
		"the user has it": func(r []memory.Row) { r[1].Memory.Scope, r[1].Memory.Project = memory.ScopeUser, "" },
		"one is exempt":   func(r []memory.Row) { exempt(&r[0]) },
		"the user has it, exempt": func(r []memory.Row) {
			r[1].Memory.Scope, r[1].Memory.Project = memory.ScopeUser, ""
			exempt(&r[1])
		},
	} {
		less := []memory.Row{in("a", "shop", 3, 120), in("b", "blog", 2, 30)}
		change(less)
		if p := policy.Promote(less); len(p.Actions) > 0 {
			t.Errorf("%s:\n%s", name, describe(less, p))
		}
	}
}

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
