package policy

import "testing"

func TestTheTextForUnusedMemories(t *testing.T) {
	for days, want := range map[float64]string{
		0: "on the day of its last use", 0.04: "on the day of its last use", 0.5: "after 0.5 active days without use", 12: "after 12.0 active days without use",
	} {
		if got := unusedFor(days); got != want {
			t.Errorf("%g days: %q, want %q", days, got, want)
		}
	}
}
