package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
)

// A pair of sets fails the gate if more than 5 % of the unrelated prompts get memories, and every pair is
// printed.
func TestAPairThatIsToldTooOftenFails(t *testing.T) {
	var out bytes.Buffer
	loud, err := writeEachPair(&out, []recallset.Pair{
		{Prompts: "a", Memories: "b", Asked: 100, Answered: 5},
		{Prompts: "b", Memories: "a", Asked: 100, Answered: 6},
	})
	if err != nil || !slices.Equal(loud, []string{"b to a 6.0 %"}) {
		t.Errorf("too loud are %q, %v", loud, err)
	}
	if printed := out.String(); !strings.Contains(printed, "5 of 100") || !strings.Contains(printed, "6 of 100") {
		t.Errorf("printed %q", printed)
	}
	if err := failed(loud, "told", "see the docs"); err == nil || !strings.Contains(err.Error(), "b to a") {
		t.Errorf("fails with %v", err)
	}
	if err := failed(nil, "told", "see the docs"); err != nil {
		t.Errorf("without a pair it fails with %v", err)
	}
}
