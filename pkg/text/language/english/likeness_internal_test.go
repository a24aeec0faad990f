package english

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Likeness is symmetric, and 1 only for the same word.
func TestLikenessKeepsItsPromises(t *testing.T) {
	word := rapid.StringMatching(`a[ab][abc]{2,10}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		switch alike := Likeness(a, b); {
		case alike != Likeness(b, a):
			t.Errorf("%s and %s are alike by %v, the other way by %v", a, b, alike, Likeness(b, a))
		case alike < 0 || alike > 1, (alike == 1) != (a == b):
			t.Errorf("%s and %s are alike by %v", a, b, alike)
		}
	})
	for pair, want := range map[[2]string]bool{
		{"kuberntes", "kubernet"}: true, {"throtling", "throttl"}: false, {"throtl", "throttl"}: true, {"confi", "config"}: true,
		{"tezt", "test"}: false, {"cats", "cat"}: false, {"te", "test"}: false, {"xonfig", "config"}: false, {"conifg", "config"}: true,
	} {
		musttest.Same(t, want, Likeness(pair[0], pair[1]) > 0, "%s is similar to %s", pair[0], pair[1])
	}
}
