package policy_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

func TestStrengthFallsWithAgeAndNeverRisesWithoutUse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, n := drawRow(t, "m"), now()
		clock := r.Memory.Project
		before := math.Inf(1)
		for range 20 {
			strength := policy.Strength(r, n)
			if strength > before || strength < 0 || strength > r.Memory.Importance || math.IsNaN(strength) {
				t.Fatalf("strength %v after %v, importance %v", strength, before, r.Memory.Importance)
			}
			n = worked(n, clock, rapid.IntRange(1, 30).Draw(t, "days"))
			aged := policy.Strength(r, n)
			if n.Time = n.Time.AddDate(0, 0, 40); policy.Strength(r, n) != aged {
				t.Fatal("a holiday changed it")
			}
			before = strength
		}
		used := r
		used.Uses++
		if policy.Strength(used, n) < policy.Strength(r, n) {
			t.Fatal("a use made it weaker")
		}
	})
}

func TestStrengthHalvesInAHalfLife(t *testing.T) {
	for _, test := range []struct {
		of   memory.Type
		days float64
	}{{memory.TypeEpisodic, 1}, {memory.TypeSemantic, 7}, {memory.TypeProcedural, 30}} {
		for uses, factor := range []float64{1, 1.2, 1.44} {
			r := row("m", "text", func(r *memory.Row) { r.Memory.Type, r.Memory.Importance, r.Uses, r.UsedAt = test.of, 0.8, uses, today })
			n := worked(now(), "shop", 60)
			n.Time = today.Add(time.Duration(test.days * factor * float64(24*time.Hour)))
			if got := policy.Strength(r, n); math.Abs(got-0.4) > 1e-9 {
				t.Errorf("%s, %d uses: strength %v after %v active days, want 0.4", test.of, uses, got, test.days*factor)
			}
		}
	}
}

func TestClockReadsAsActiveDays(t *testing.T) {
	start := time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		var activity []time.Time
		days := map[string][]string{}
		for _, day := range slices.Sorted(slices.Values(rapid.SliceOfDistinct(rapid.IntRange(0, 40), rapid.ID).Draw(t, "days"))) {
			at := start.AddDate(0, 0, day)
			activity = append(activity, at)
			project := rapid.SampledFrom([]string{"", "shop", "blog"}).Draw(t, "project")
			for _, key := range slices.Compact([]string{project, rapid.SampledFrom([]string{project, "shop"}).Draw(t, "also")}) {
				days[key] = append(days[key], at.Format(time.DateOnly))
			}
		}
		zone := time.FixedZone("", rapid.IntRange(-12, 12).Draw(t, "zone")*3600)
		at := start.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(1000*time.Hour)).Draw(t, "at"))).In(zone)
		if got, want := policy.NewClocks(days)[""].Reading(at), activeDays(activity, at); math.Abs(got-want) > 1e-9 {
			t.Fatalf("the user's clock reads %v at %s, want %v", got, at, want)
		}
		for project, active := range days {
			var times []time.Time
			for _, day := range active {
				when := musttest.Get(time.Parse(time.DateOnly, day))(t)
				times = append(times, when)
			}
			want := activeDays(times, at)
			if got := policy.Clock(active).Reading(at); math.Abs(got-want) > 1e-9 {
				t.Fatalf("the clock of %q reads %v at %s, want %v", project, got, at, want)
			}
		}
	})
}

// Applying a plan and planning again finds nothing to do.
func TestPlansAreTheirOwnFixpoint(t *testing.T) {
	for _, p := range planners {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				drawn, limits := rows(t), policy.UsualLimits()
				first := p.plan(now(), limits, drawn)
				after := musttest.Get(applied(drawn, first))(t)
				second := p.plan(now(), limits, after)
				if len(second.Actions) > 0 {
					t.Fatalf("first:\n%s\nsecond:\n%s", describe(drawn, first), describe(after, second))
				}
			})
		})
	}
}

func TestPlansDoNotDependOnTheOrderOfRows(t *testing.T) {
	for _, p := range planners {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				drawn := rows(t)
				shuffled := rapid.Permutation(drawn).Draw(t, "shuffled")
				first := p.plan(now(), policy.UsualLimits(), drawn)
				second := p.plan(now(), policy.UsualLimits(), shuffled)
				if !reflect.DeepEqual(first, second) {
					t.Fatalf("one order:\n%s\nanother:\n%s", describe(drawn, first), describe(shuffled, second))
				}
			})
		})
	}
}

// Whatever runs, in whatever order, over whatever time: no row appears or disappears, a protected row stays in sight unless its
// duplicate stays for it, and only a row that was archived long enough loses its text.
func TestNoPlanLosesAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		current, n, limits := rows(t), now(), policy.UsualLimits()
		for range 6 {
			p := rapid.SampledFrom(planners).Draw(t, "planner")
			plan := p.plan(n, limits, current)
			after := musttest.Get(applied(current, plan))(t)
			if !slices.Equal(ids(current), ids(after)) {
				t.Fatalf("%s changed which rows there are", p.name)
			}
			old := byID(current)
			for _, r := range after {
				checkKept(t, p.name, old[r.Memory.ID], r, byID(after))
			}
			current = after
			n.Time = n.Time.AddDate(0, 0, 20)
			for _, project := range []string{"", "shop", "blog"} {
				n = worked(n, project, rapid.IntRange(1, 20).Draw(t, "days"))
			}
		}
	})
}

func checkKept(t *rapid.T, planner string, before, after memory.Row, all map[string]memory.Row) {
	id := before.Memory.ID
	if changed := after.State().Changed(before.State()); before.Exempt && len(changed) > 0 {
		t.Fatalf("%s: %s is exempt and changed in %v", planner, id, changed)
	}
	if inSight(before) && after.Memory.Status == memory.StatusConsolidated {
		survivor, known := all[after.MergedInto]
		if !known || !inSight(survivor) {
			t.Fatalf("%s: %s was merged into %q, which is not in sight", planner, id, after.MergedInto)
		}
		if before.Memory.Pinned {
			t.Fatalf("%s: %s is pinned and was merged", planner, id)
		}
		if !slices.Contains(survivor.DerivedFrom, id) {
			t.Fatalf("%s: %s does not name %s among its sources", planner, after.MergedInto, id)
		}
		same := strings.EqualFold(memory.Normalise(before.Memory.Content), memory.Normalise(survivor.Memory.Content)) ||
			statement.Parse(before.Memory.Content).Same(statement.Parse(survivor.Memory.Content))
		if !same {
			t.Fatalf("%s: %q is no duplicate of %q", planner, before.Memory.Content, survivor.Memory.Content)
		}
	}
	if policy.Protected(before) && inSight(before) && !inSight(after) && after.Memory.Status != memory.StatusConsolidated {
		t.Fatalf("%s: %s is protected and became %s", planner, id, after.Memory.Status)
	}
	if before.Memory.Content != after.Memory.Content {
		t.Fatalf("%s: %s lost its text", planner, id)
	}
	if !inSight(before) && inSight(after) {
		t.Fatalf("%s: %s came back from %s", planner, id, before.Memory.Status)
	}
}
