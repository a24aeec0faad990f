package english_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
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
		{"a part is negated", "we cache API responses", "We never cache API responses of the billing service", false},
		{"a part is negated, behind a comma", "the API accepts XML", "The API accepts XML, but it does not accept files larger than 10 MB", false},
		{"an exception", "amounts are integer cents", "Amounts are integer cents, except in the reports of last year", false},
		{"a condition", "deploys need a ticket", "Only deploys to production need a ticket of the team", false},
		{"a sentence beside a negated one", "we cache API responses", "We cache API responses. We never cache those of the billing service.", true},
		{"a negated sentence beside another", "we cache API responses", "The build is slow. We never cache API responses of billing.", false},
		{"its own exception", "Amounts are cents, except in reports", "All amounts are integer cents, except in the reports", true},
		{"few words, one of them other", "use tabs in Go", "use tabs in Python", false},
		{"another name", "end all columns with '_at'", "end all columns with '_j'", false},
		{"no words", "and so on", "and so on", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			later, earlier := english.CoreOf(c.later), english.CoreOf(c.earlier)
			musttest.Same(t, c.want, later.IsContainedIn(earlier), "%q is contained in %q", c.later, c.earlier)
		})
	}
}
