package statement_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

// Two titles contradict each other if they deny and state the same of one subject, or give
// one property two values; not if they are about two things or two cases.
func TestTitlesThatContradictEachOther(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"TripNode has both leg and port again", "TripNode has no leg field, only port", true},
		{"Exports join on the account", "Exports never join on the account", true},
		{"The importer doesn't retry uploads", "The importer retries uploads", true},
		{"sort-boats no longer takes --stdin", "sort-boats takes --stdin", true},
		{"Webhook timeout is 30s", "Webhook timeout: 45s", true},
		{"Ledger schema is v4", "Ledger schema is v5 now", true},
		{"Keep at most 5 backups", "Keep at most 7 backups", true},

		{"Exports join on the account", "Exports join on the account", false},
		{"Exports never join on the account", "Exports never join on the account", false},
		{"Exports never join on the account", "Exports join on the session", false},
		{"Guest exports never join on the account", "Member exports join on the account", false},
		{"Exports never join on the account", "Exports join on the account in reports", false},
		{"Exports never join accounts directly", "Exports join accounts", false},
		{"Run make cruise with real boats", "Never run make cruise unasked; it costs fuel", false},
		{"Commits carry only Fleet-Id, no Fleet-Session", "fleet/sessions commits carry a Fleet-Boat trailer", false},
		{"Push refused: run /fleet:sync, never pull --rebase", "Push refused: run /fleet:merge, no pull --rebase", false},
		{"Tests never mock the clock", "Tests mock the payment provider", false},
		{"Parser without cache is slow", "Parser cache is slow", false},
		{"Worker 3 restarts at night", "Worker 4 restarts at night", false},
		{"Port 8080 serves the shop", "Port 9090 serves the shop", false},
		{"Webhook timeout is 30s", "Webhook timeout is 45s in CI", false},
		{"Webhook timeout is 30s", "Webhook retries: 5", false},
		{"Webhook timeout is 30s, 5 retries", "Webhook timeout is 30s, 6 retries", false},
		{"No @patch: inject fakes", "@patch is fine: inject fakes", false},
	} {
		a, b := statement.ParseTitle(test.a), statement.ParseTitle(test.b)
		for _, why := range []string{a.Contradicts(b), b.Contradicts(a)} {
			if (why != "") != test.want {
				t.Errorf("%q and %q contradict each other: %q", test.a, test.b, why)
			}
		}
	}
}

// Whichever of two titles is asked, the answer is the same, and both share a key.
func TestContradictionIsSymmetricAndFoundByAKey(t *testing.T) {
	words := rapid.SampledFrom([]string{"exports", "never", "no", "join", "accounts", "is", "30s", "v2", "5", "at", "only", "and", "in", "CI,", "have", "don't", "retry:", "longer"})
	title := rapid.Custom(func(t *rapid.T) string {
		text := ""
		for _, word := range rapid.SliceOfN(words, 0, 7).Draw(t, "words") {
			text += word + " "
		}
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		x, y := title.Draw(t, "a"), title.Draw(t, "b")
		a, b := statement.ParseTitle(x), statement.ParseTitle(y)
		if (a.Contradicts(b) == "") != (b.Contradicts(a) == "") {
			t.Errorf("%q and %q: %q, %q", x, y, a.Contradicts(b), b.Contradicts(a))
		}
		if a.Contradicts(b) != "" && !slices.ContainsFunc(a.Keys, func(key string) bool { return slices.Contains(b.Keys, key) }) {
			t.Errorf("%q and %q contradict each other and share no key", x, y)
		}
	})
}
