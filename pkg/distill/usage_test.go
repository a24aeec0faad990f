package distill_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
)

// TestUsageNeverGivesTokensBack: whatever a runner reports, its sums count possible values only.
func TestUsageNeverGivesTokensBack(t *testing.T) {
	counts := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 1_000_000), rapid.Int(), rapid.Just(math.MaxInt), rapid.Just(math.MinInt)), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		input, output := counts.Draw(t, "input"), counts.Draw(t, "output")
		usd := rapid.OneOf(rapid.Float64(), rapid.Just(math.NaN()), rapid.Just(math.Inf(-1))).Draw(t, "usd")
		u := distill.NewUsage(input, output, usd)
		sum := func(of []int) (sum float64) {
			for _, n := range of {
				sum += float64(n)
			}
			return sum
		}
		if u.Reported {
			if float64(u.Input) != sum(input) || float64(u.Output) != sum(output) || u.USD != usd || slices.ContainsFunc(slices.Concat(input, output), func(n int) bool { return n < 0 }) || u.USD < 0 {
				t.Errorf("%v and %v, $%g, are %+v", input, output, usd, u)
			}
			return
		}
		if u != (distill.Usage{}) {
			t.Errorf("unreported usage is %+v", u)
		}
		if isUsual := func(n int) bool { return n >= 0 && n <= 1_000_000 }; usd >= 0 && !slices.ContainsFunc(slices.Concat(input, output), func(n int) bool { return !isUsual(n) }) {
			t.Errorf("%v and %v, $%g, are not taken", input, output, usd)
		}
	})
}
