package sketch_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/sketch"
)

func TestSetOf(t *testing.T) {
	if got := sketch.SetOf([]string{"a", "b", "a", "b"}); len(got) != 2 {
		t.Errorf("the set of two words has %d", len(got))
	}
	if got := sketch.SetOf(nil); len(got) != 0 {
		t.Errorf("the set of no words: %v", got)
	}
	if sketch.Hash("ab", "c") == sketch.Hash("a", "bc") {
		t.Error("the border between words does not count")
	}
}

func TestJaccard(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want float64
	}{{"", "", 1}, {"a", "", 0}, {"a b", "b a", 1}, {"a b c", "b c d", 0.5}} {
		if got := sketch.Jaccard(setOf(test.a), setOf(test.b)); got != test.want {
			t.Errorf("Jaccard(%q, %q) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func setOf(text string) sketch.Set { return sketch.SetOf(strings.Fields(text)) }

// numbered makes a set of n words, of which the first shared are those of every
// other set.
func numbered(name string, n, shared int) sketch.Set {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%s-%d", name, i)
		if i < shared {
			words[i] = fmt.Sprintf("shared-%d", i)
		}
	}
	return sketch.SetOf(words)
}

func TestEstimateKeepsItsErrorBound(t *testing.T) {
	const trials = 200
	for _, shared := range []int{0, 20, 50, 80, 95, 100} {
		var squares, sum float64
		for trial := range trials {
			a := numbered(fmt.Sprintf("a%d-%d", shared, trial), 100, 0)
			b := slices.Concat(a[:shared], numbered(fmt.Sprintf("b%d-%d", shared, trial), 100-shared, 0))
			slices.Sort(b)
			exact := sketch.Jaccard(a, b)
			off := sketch.Sign(a).Similarity(sketch.Sign(b)) - exact
			sum, squares = sum+off, squares+off*off
		}
		spread, bias := math.Sqrt(squares/trials), sum/trials
		if limit := 1.15 / (2 * math.Sqrt(sketch.Hashes)); spread > limit {
			t.Errorf("%d %% kept: standard error %.4f is above %.4f", shared, spread, limit)
		}
		if math.Abs(bias) > 0.01 {
			t.Errorf("%d %% kept: the estimate is off by %.4f on average", shared, bias)
		}
	}
}

func TestKeysFindCandidates(t *testing.T) {
	const trials = 600
	for _, test := range []struct {
		size, kept  int // of each set; similarity kept/(2*size-kept)
		least, most float64
	}{{100, 92, 0.98, 1}, {100, 95, 0.998, 1}, {100, 67, 0.03, 0.10}, {100, 20, 0, 0.001}} {
		met := 0
		for trial := range trials {
			a := numbered(fmt.Sprintf("x%d-%d", test.kept, trial), test.size, 0)
			b := slices.Concat(a[:test.kept], numbered(fmt.Sprintf("y%d-%d", test.kept, trial), test.size-test.kept, 0))
			if share(sketch.Sign(a).Keys(0), sketch.Sign(b).Keys(0)) {
				met++
			}
		}
		if got := float64(met) / trials; got < test.least || got > test.most {
			t.Errorf("%d of %d kept: met in %.4f of the trials, want %.3f to %.3f", test.kept, test.size, got, test.least, test.most)
		}
	}
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(key string) bool { return slices.Contains(b, key) })
}

// Stored keys must match for ever: these were written by the first version.
func TestKeysNeverChange(t *testing.T) {
	keys := sketch.Sign(sketch.SetOf(english.Words("Run the linter before each commit."))).Keys(7)
	if len(keys) != sketch.Bands {
		t.Fatalf("%d keys", len(keys))
	}
	if got, want := keys[0]+" "+keys[15], firstKeys; got != want {
		t.Errorf("the keys are %q, were %q", got, want)
	}
	if share(keys, sketch.Sign(sketch.SetOf(english.Words("Run the linter before each commit."))).Keys(8)) {
		t.Error("another salt gave the same key")
	}
}

func TestSetsProperties(t *testing.T) {
	words := rapid.SliceOfN(rapid.StringMatching(`[a-f]{1,2}`), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		first, second := words.Draw(t, "first"), words.Draw(t, "second")
		a, b := sketch.SetOf(first), sketch.SetOf(second)
		if !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != len(a) {
			t.Fatalf("not a set: %v", a)
		}
		j := sketch.Jaccard(a, b)
		if j != sketch.Jaccard(b, a) || j < 0 || j > 1 || sketch.Jaccard(a, a) != 1 {
			t.Fatalf("Jaccard %v and back %v, of itself %v", j, sketch.Jaccard(b, a), sketch.Jaccard(a, a))
		}
		if equal := slices.Equal(a, b); equal != (j == 1) || equal != (sketch.Sign(a) == sketch.Sign(b)) {
			t.Fatalf("equal sets %t, Jaccard %v, equal signatures %t", equal, j, sketch.Sign(a) == sketch.Sign(b))
		}
		shuffled := rapid.Permutation(first).Draw(t, "shuffled")
		if sketch.Sign(sketch.SetOf(shuffled)) != sketch.Sign(a) {
			t.Fatal("the signature depends on the order of the words")
		}
	})
}

const sentence = "The integration suite starts Postgres, Redis and the mail catcher in containers, waits for their health checks, applies all migrations and seeds two tenants"

func BenchmarkSign(b *testing.B) {
	set := sketch.SetOf(english.Words(sentence))
	for b.Loop() {
		sketch.Sign(set)
	}
}

func BenchmarkKeys(b *testing.B) {
	signature := sketch.Sign(sketch.SetOf(english.Words(sentence)))
	for b.Loop() {
		signature.Keys(1)
	}
}

func BenchmarkJaccard(b *testing.B) {
	x, y := numbered("x", 100, 90), numbered("y", 100, 90)
	for b.Loop() {
		sketch.Jaccard(x, y)
	}
}

const firstKeys = "52bd9cd9047153c6 208ff94acd17f3e1"
