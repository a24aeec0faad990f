package statement_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

func TestCompare(t *testing.T) {
	const long = "The nightly export of the billing service writes compressed monthly reports for finance managers and informs the accounting channel"
	for _, test := range []struct {
		a, b   string
		want   statement.Relation
		reason string
	}{
		{long, long + ".", statement.Duplicate, "agree"},
		{long, strings.Replace(long, "finance", "marketing", 1), statement.Distinct, "other words: financ here and market there"},
		{long, long + " docs/ops.md", statement.Distinct, "they are about nothing here and docs/ops.md there"},
		{long, long + " --force", statement.Distinct, "they are about nothing here and --force there"},
		{long, long + " issue 12", statement.Distinct, "they are about nothing here and issue12 there"},
		{long, long + " 12", statement.Update, "nothing here and 12 there"},
		{long, strings.Replace(long, "writes", "never writes", 1), statement.Update, "negations differ"},
		{long, strings.Replace(long, "billing service", "accounting service", 1), statement.Distinct, "other words: account here and bill there"},
		{"Retry 3 times within 10 seconds, then wait", "Retry 10 times within 3 seconds, then wait", statement.Update, ""},
		{"Scale the workers from 2 to 8 pods", "Scale the workers from 8 to 2 pods", statement.Update, "changed places"},
		{"The cache is filled before the index is opened", "The index is opened before the cache is filled", statement.Distinct, ""},
		{"The lexer wraps the parser", "The lexer is wrapped by the parser", statement.Distinct, "order"},
		{"The lexer wraps the parser", "The parser is wrapped by the lexer", statement.Duplicate, ""},
		{"Port 8080", "Port 9090", statement.Distinct, "too few words"},
		{"", "", statement.Distinct, "too few words"},
	} {
		got := statement.Parse(test.a).Compare(statement.Parse(test.b))
		if got.Relation != test.want || !strings.Contains(got.Reason, test.reason) {
			t.Errorf("%q\n%q: %s (%s), want %s (%s)", test.a, test.b, got.Relation, got.Reason, test.want, test.reason)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("Never commit to main", "Commit to main")
	f.Add("x", "\xff`'/.-")
	f.Add("from 10 to 20", "#12 v1.2.3 a/b 30s, and or by")
	f.Fuzz(func(t *testing.T, a, b string) {
		there, back := statement.Parse(a).Compare(statement.Parse(b)), statement.Parse(b).Compare(statement.Parse(a))
		if there != back {
			t.Errorf("%q and %q: %+v and back %+v", a, b, there, back)
		}
		if there.Similarity < 0 || there.Similarity > 1 || (there.Similarity < rules.Similarity && there.Relation != statement.Distinct) {
			t.Errorf("%q and %q: %+v", a, b, there)
		}
		if self := statement.Parse(a).Compare(statement.Parse(a)); self.Similarity != 1 || self.Relation == statement.Update {
			t.Errorf("%q and itself: %+v", a, self)
		}
	})
}

// A duplicate and an update share a key, so that an index finds them.
func TestKeysFindDuplicatesAndUpdates(t *testing.T) {
	related, met := 0, 0
	for _, p := range loadPairs(t) {
		if statement.Parse(p.A).Compare(statement.Parse(p.B)).Relation == statement.Distinct {
			continue
		}
		related++
		other := statement.Parse(p.B).Keys(0)
		if slices.ContainsFunc(statement.Parse(p.A).Keys(0), func(key string) bool { return slices.Contains(other, key) }) {
			met++
		}
	}
	t.Logf("%d of %d pairs share a key", met, related)
	if float64(met) < 0.994*float64(related) {
		t.Errorf("%d of %d pairs share a key, want 0.994 of them", met, related)
	}
	if keys := statement.Parse("the of and").Keys(0); len(keys) > 0 {
		t.Errorf("there is no text, but there are keys %v", keys)
	}
}

// stated and other are duplicates.
const (
	stated = "Request timeout of the gateway is 30 seconds and it retries 3 times on a connection error."
	other  = "Request timeout of the gateway is 30 seconds, and it retries three times on connection errors."
)

func BenchmarkCompare(b *testing.B) {
	for b.Loop() {
		statement.Parse(stated).Compare(statement.Parse(other))
	}
}

func BenchmarkKeys(b *testing.B) {
	for b.Loop() {
		statement.Parse(stated).Keys(0)
	}
}

// The longest text that ingest keeps, twice, with as much alike as can be.
func BenchmarkCompareLongest(b *testing.B) {
	text := strings.Repeat("in a b of c by d ", 35)
	for b.Loop() {
		statement.Parse("in " + text + " e").Compare(statement.Parse(text + "f e"))
	}
}
