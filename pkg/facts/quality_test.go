package facts_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// lines reads a file of our own labelled set.
func lines[T any](t *testing.T, name string) (all []T) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "testdata", "recall", "coding", name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		var one T
		if err := json.Unmarshal(scan.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, one)
	}
	return all
}

// TestOwnWordsOnTheCodingSet holds the gate of memories without cues to its figures on the
// checking half: 45 % of the prompts that one of them answers are given it, and a prompt about
// something else is given nothing.
func TestOwnWordsOnTheCodingSet(t *testing.T) {
	x := facts.New(facts.DefaultWeights())
	for _, m := range lines[memory.Memory](t, "memories.jsonl") {
		x.Put(m)
	}
	asked, helped, unrelated, broken := 0, 0, 0, 0
	for _, q := range lines[struct {
		Query, Half string
		Evidence    []string
	}](t, "queries.jsonl") {
		if q.Half != "check" {
			continue
		}
		hits := x.Prompt(q.Query, false, 3)
		isHelped := slices.ContainsFunc(hits, func(h facts.Hit) bool { return slices.Contains(q.Evidence, h.Memory.ID) })
		switch {
		case len(q.Evidence) == 0:
			unrelated++
			if len(hits) > 0 {
				broken++
			}
		default:
			asked++
			if isHelped {
				helped++
			}
		}
	}
	t.Logf("helped %d of %d, given something else %d of %d", helped, asked, broken, unrelated)
	if float64(helped) < 0.45*float64(asked) || broken > 0 {
		t.Errorf("helped %d of %d prompts, and broke the silence of %d of %d", helped, asked, broken, unrelated)
	}
}
