package english_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
)

func TestACoreIsFoundInOtherWords(t *testing.T) {
	for _, c := range []struct {
		name, later, earlier string
		want                 bool
	}{
		{"the same", "we squash before merging", "we squash before merging", true},
		{"other endings and order", "Before a merge, always squash the commits", "squashing commits is always done before merging", true},
		{"a statement in a card", "keep the session log on the shadow branch", "where do logs go? -> We keep the session log on the shadow branch until it is condensed.", true},
		{"a card behind a statement", "where do logs go? -> We keep the session log on the shadow branch until it is condensed.", "keep the session log on the shadow branch", false},
		{"another number", "the server listens on port 6543", "the server listens on port 8080", false},
		{"a negation", "never squash commits before merging", "squash commits before merging", false},
		{"a negation taken back", "squash commits before merging", "never squash commits before merging", false},
		{"few words, one of them other", "use tabs in Go", "use tabs in Python", false},
		{"no words", "and so on", "and so on", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			later, earlier := english.CoreOf(c.later), english.CoreOf(c.earlier)
			if got := later.IsContainedIn(earlier); got != c.want {
				t.Errorf("%q is contained in %q: %v", c.later, c.earlier, got)
			}
		})
	}
}
