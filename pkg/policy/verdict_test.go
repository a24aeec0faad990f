package policy_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
)

// TestVerdictsWeighARule: a rule is never raised, loses less than half, loses more with each
// rejection, regains by confirmations, and is left alone if there are few verdicts or half
// of them are confirmations.
func TestVerdictsWeighARule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		confirmed, rejected := rapid.IntRange(0, 500).Draw(t, "confirmed"), rapid.IntRange(0, 500).Draw(t, "rejected")
		weight := policy.VerdictWeight(confirmed, rejected)
		switch {
		case weight > 1 || weight <= 0.5:
			t.Errorf("%d confirmed, %d rejected: %g", confirmed, rejected, weight)
		case (confirmed+rejected < 4 || confirmed >= rejected) && weight != 1:
			t.Errorf("%d confirmed, %d rejected: %g, want 1", confirmed, rejected, weight)
		case policy.VerdictWeight(confirmed, rejected+1) > weight:
			t.Errorf("%d confirmed, %d rejected: one more rejected raises it", confirmed, rejected)
		case policy.VerdictWeight(confirmed+1, rejected) < weight:
			t.Errorf("%d confirmed, %d rejected: one more confirmed lowers it", confirmed, rejected)
		}
	})
	for _, c := range []struct {
		confirmed, rejected int
		least, most         float64
	}{{0, 3, 1, 1}, {0, 4, 0.98, 0.999}, {1, 9, 0.90, 0.91}, {0, 20, 0.66, 0.67}, {20, 60, 0.85, 0.86}} {
		if got := policy.VerdictWeight(c.confirmed, c.rejected); got < c.least || got > c.most {
			t.Errorf("%d confirmed, %d rejected: %.3f, want %g to %g", c.confirmed, c.rejected, got, c.least, c.most)
		}
	}
}
