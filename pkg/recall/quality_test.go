package recall_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// labelled is one line of testdata/recall/coding: a memory or a query with the memories that answer it.
type labelled struct {
	ID        string    `json:"id"`
	Session   string    `json:"session"`
	CreatedAt time.Time `json:"created_at"`
	Content   string    `json:"content"`
	Kind      string    `json:"kind"`
	Files     []string  `json:"files"`
	Command   string    `json:"command"`

	Query    string   `json:"query"`
	Evidence []string `json:"evidence"`
	Category string   `json:"category"`
	Half     string   `json:"half"`
}

func readLabelled(t *testing.T, name string) []labelled {
	t.Helper()
	f := musttest.Get(os.Open(filepath.Join("..", "..", "testdata", "recall", "coding", name)))(t)
	defer func() { _ = f.Close() }()
	var all []labelled
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var one labelled
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, one)
	}
	return all
}

func codingIndex(t *testing.T) (*recall.Index, time.Time) {
	t.Helper()
	index := recall.NewIndex(recall.DefaultWeights())
	var newest time.Time
	for _, l := range readLabelled(t, "memories.jsonl") {
		kind := memory.Kind(l.Kind)
		if kind == "" {
			kind = memory.KindNote
		}
		index.Put(recall.Entry{
			Memory: memory.Memory{
				ID: l.ID, Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: kind, Status: memory.StatusActive,
				Content: l.Content, Importance: 0.5, CreatedAt: l.CreatedAt, LastSeenAt: l.CreatedAt, Session: l.Session,
				Files: l.Files, Command: l.Command,
			},
			Offered: true,
		})
		if l.CreatedAt.After(newest) {
			newest = l.CreatedAt
		}
	}
	return index, newest
}

// The least quality of recall on the checking half. Questions of the category vague describe a thing in words
// that its memory does not have, and are counted apart; docs/lab/recall.md has the figures.
const (
	leastHitRate      = 0.93
	leastVagueHitRate = 0.72
	leastOfAll        = 0.89 // both together
	// leastOfTen is the share of the evidence among the first ten.
	leastOfTen = 0.90
)

// TestOneMemoryIsEnough: a store with a single memory recalls it as well.
func TestOneMemoryIsEnough(t *testing.T) {
	index := recall.NewIndex(recall.DefaultWeights())
	index.Put(recall.Entry{Memory: memory.Memory{
		ID: "a", Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
		Status: memory.StatusActive, Content: "the staging database listens on port 6543", Importance: 0.6,
	}})
	for _, text := range []string{"which port does the staging database listen on?", "Look at the ledger\nOn which port does the staging database listen?"} {
		if hits := index.Recall(recall.Query{Text: text}); len(hits) != 1 {
			t.Errorf("%q finds %d memories", text, len(hits))
		}
	}
	musttest.Same(t, 0, len(index.Recall(recall.Query{Text: "what is for lunch today?"})), "an unrelated prompt finds")
}

// outcome counts the results of an index on the checking half.
type outcome struct {
	asked, found           int // questions with an answer; the right memory among the first five
	vague, foundVague      int
	evidence, foundOfFirst float64 // found among the first ten, as a share of each question's
}

func check(t *testing.T) outcome {
	t.Helper()
	index, _ := codingIndex(t)
	var o outcome
	for _, q := range readLabelled(t, "queries.jsonl") {
		if q.Half != "check" || len(q.Evidence) == 0 {
			continue
		}
		query := recall.Query{Text: q.Query, Files: q.Files, Limit: 10}
		hits := index.Recall(query)
		right := 0
		isFound := 0
		for i, h := range hits {
			if !slices.Contains(q.Evidence, h.Memory.ID) {
				continue
			}
			right++
			if i < 5 {
				isFound = 1
			}
		}
		o.evidence++
		o.foundOfFirst += float64(right) / float64(len(q.Evidence))
		if q.Category == "vague" {
			o.vague++
			o.foundVague += isFound
		} else {
			o.asked++
			o.found += isFound
		}
	}
	return o
}

// TestRecallOnTheCodingSet measures on the checking half of our own labelled set: the right memory among the first five.
func TestRecallOnTheCodingSet(t *testing.T) {
	o := check(t)
	hitRate, vagueRate := float64(o.found)/float64(o.asked), float64(o.foundVague)/float64(o.vague)
	t.Logf("right memory among the first five: %d of %d, of vague questions %d of %d", o.found, o.asked, o.foundVague, o.vague)
	if all := float64(o.found+o.foundVague) / float64(o.asked+o.vague); all < leastOfAll {
		t.Errorf("hit rate %.3f of all questions, want at least %.2f", all, leastOfAll)
	}
	if hitRate < leastHitRate || vagueRate < leastVagueHitRate {
		t.Errorf("hit rate %.3f (vague %.3f), want at least %.2f (%.2f)", hitRate, vagueRate, leastHitRate, leastVagueHitRate)
	}
	t.Logf("recall@10 %.3f", o.foundOfFirst/o.evidence)
	if o.foundOfFirst < leastOfTen*o.evidence {
		t.Errorf("%.3f of the evidence is among the first ten, want at least %.2f", o.foundOfFirst/o.evidence, leastOfTen)
	}
}

// TestPromptsOnTheCodingSet holds the gate of memories without cues to its figures on the checking half: 45 % of the prompts that
// one of them answers are given it, and a prompt about something else is given nothing.
func TestPromptsOnTheCodingSet(t *testing.T) {
	x, _ := codingIndex(t)
	asked, helped, unrelated, broken := 0, 0, 0, 0
	for _, q := range readLabelled(t, "queries.jsonl") {
		if q.Half != "check" {
			continue
		}
		hits := x.Prompt(q.Query, false, 3)
		switch {
		case len(q.Evidence) == 0:
			unrelated++
			if len(hits) > 0 {
				broken++
			}
		default:
			asked++
			if slices.ContainsFunc(hits, func(h memory.Hit) bool { return slices.Contains(q.Evidence, h.Memory.ID) }) {
				helped++
			}
		}
	}
	t.Logf("helped %d of %d, given something else %d of %d", helped, asked, broken, unrelated)
	if float64(helped) < 0.45*float64(asked) || broken > 0 {
		t.Errorf("helped %d of %d prompts, and broke the silence of %d of %d", helped, asked, broken, unrelated)
	}
}
