package policy_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
)

// TestVerdictsWeighARule: a rule is never raised, loses less than half, loses more the
// more of it is put away, gains back by what is confirmed, and is left alone where there
// are few verdicts or where half was confirmed.
func TestVerdictsWeighARule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		confirmed, away := rapid.IntRange(0, 500).Draw(t, "confirmed"), rapid.IntRange(0, 500).Draw(t, "put away")
		weight := policy.VerdictWeight(confirmed, away)
		switch {
		case weight > 1 || weight <= 0.5:
			t.Errorf("%d confirmed, %d put away: %g", confirmed, away, weight)
		case (confirmed+away < 4 || confirmed >= away) && weight != 1:
			t.Errorf("%d confirmed, %d put away: %g, want 1", confirmed, away, weight)
		case policy.VerdictWeight(confirmed, away+1) > weight:
			t.Errorf("%d confirmed, %d put away: one more put away raises it", confirmed, away)
		case policy.VerdictWeight(confirmed+1, away) < weight:
			t.Errorf("%d confirmed, %d put away: one more confirmed lowers it", confirmed, away)
		}
	})
	for _, c := range []struct {
		confirmed, away int
		least, most     float64
	}{{0, 3, 1, 1}, {0, 4, 0.98, 0.999}, {1, 9, 0.90, 0.91}, {0, 20, 0.66, 0.67}, {20, 60, 0.85, 0.86}} {
		if got := policy.VerdictWeight(c.confirmed, c.away); got < c.least || got > c.most {
			t.Errorf("%d confirmed, %d put away: %.3f, want %g to %g", c.confirmed, c.away, got, c.least, c.most)
		}
	}
}
