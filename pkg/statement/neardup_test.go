package statement_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

const pairsFile = "../../testdata/near-duplicates/pairs.jsonl"

// pair is two texts with a person's judgement of their relation. The tuning half may be looked at
// when the rules are changed; the rules are measured on the checking half.
type pair struct {
	A        string             `json:"a"`
	B        string             `json:"b"`
	Label    statement.Relation `json:"label"`
	Category string             `json:"category"`
	Half     string             `json:"half"`
}

func loadPairs(t testing.TB) []pair {
	t.Helper()
	file, err := os.Open(pairsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var pairs []pair
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var p pair
		if err := json.Unmarshal(scanner.Bytes(), &p); err != nil {
			t.Fatalf("pair %d: %v", len(pairs)+1, err)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// score counts decisions against labels.
type score struct{ hits, falseHits, misses, pairs int }

func (s *score) add(label, decided, of statement.Relation) {
	s.pairs++
	switch {
	case decided == of && label == of:
		s.hits++
	case decided == of:
		s.falseHits++
	case label == of:
		s.misses++
	}
}

func (s score) precision() float64 { return float64(s.hits) / float64(max(1, s.hits+s.falseHits)) }
func (s score) recall() float64    { return float64(s.hits) / float64(max(1, s.hits+s.misses)) }

func TestNearDuplicates(t *testing.T) {
	pairs := loadPairs(t)
	if len(pairs) < 400 {
		t.Errorf("%s holds %d pairs, not at least 400", pairsFile, len(pairs))
	}
	scores := map[string]map[statement.Relation]*score{}
	categories := map[string]*score{}
	for _, p := range pairs {
		got := statement.Parse(p.A).Compare(statement.Parse(p.B))
		if back := statement.Parse(p.B).Compare(statement.Parse(p.A)); back != got {
			t.Errorf("not symmetric: %+v and %+v\n  %s\n  %s", got, back, p.A, p.B)
		}
		for _, half := range []string{p.Half, "all"} {
			if scores[half] == nil {
				scores[half] = map[statement.Relation]*score{statement.Duplicate: {}, statement.Update: {}}
			}
			for relation, s := range scores[half] {
				s.add(p.Label, got.Relation, relation)
			}
		}
		name := p.Category + " " + string(p.Label)
		if categories[name] == nil {
			categories[name] = &score{}
		}
		categories[name].add(p.Label, got.Relation, p.Label)
		if got.Relation != p.Label && (p.Half == "tuning" || os.Getenv("SHOW_CHECKING") != "") {
			t.Logf("%s half, %s: %s, decided %s (%s)\n  %s\n  %s", p.Half, p.Category, p.Label, got.Relation, got.Reason, p.A, p.B)
		}
	}
	var report strings.Builder
	for _, half := range []string{"tuning", "checking", "all"} {
		duplicate, update := scores[half][statement.Duplicate], scores[half][statement.Update]
		fmt.Fprintf(&report, "%-8s %3d pairs; duplicate: precision %.3f, recall %.3f; update: precision %.3f, recall %.3f\n",
			half, duplicate.pairs, duplicate.precision(), duplicate.recall(), update.precision(), update.recall())
		if duplicate.precision() < 0.99 || duplicate.recall() < 0.90 {
			t.Errorf("%s half: precision %.3f, recall %.3f of duplicates; want 0.99 and 0.90", half, duplicate.precision(), duplicate.recall())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(categories)) {
		fmt.Fprintf(&report, "  %-22s %3d of %3d\n", name, categories[name].hits, categories[name].pairs)
	}
	t.Log("\n" + report.String())
}
