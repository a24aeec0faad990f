package briefing_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const priceRule = "We never round in `shop/price.go`, the tax office wants the fourth digit."

// priceFile is a project with one file, in its state when the rule about it was stated.
func priceFile(t *testing.T) (root string, write func(text string)) {
	t.Helper()
	root = t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "shop"), 0o755); err != nil {
		t.Fatal(err)
	}
	at := agenttest.Noon.Add(-time.Hour)
	write = func(text string) {
		file := filepath.Join(root, "shop", "price.go")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
		at = at.Add(24 * time.Hour)
	}
	write("package shop\n\nfunc Price() int { return 1 }\n\nfunc VAT() int { return 2 }\n")
	return root, write
}

// below has events happen in the project with a root.
func below(root string, events ...memory.Event) []memory.Event {
	for i := range events {
		events[i].Project.Root, events[i].Dir = root, root
	}
	return events
}

// A line notes the change of its file wherever the memory is injected or listed, if the
// question names the folder.
func TestALineNotesThatItsFileHasChanged(t *testing.T) {
	a, _, _ := agenttest.New(t)
	root, write := priceFile(t)
	agenttest.Ingested(t, a, below(root, agenttest.Prompt(1, "Convention: "+priceRule), agenttest.Event(2, memory.EventTurnEnded))...)
	told := func(p agentapi.RecallParams) string {
		t.Helper()
		p.Root, p.Session = root, memory.NewEventID(agenttest.Noon) // each time a new conversation
		return agenttest.Recalled(t, a, p)
	}
	starts := 0
	ways := map[string]func() string{
		"prompt": func() string {
			return told(agentapi.RecallParams{Purpose: agentapi.ForPrompt, Text: "may we round the price, or does the tax office?", MaxLines: 5})
		},
		"write": func() string { return told(agentapi.RecallParams{Purpose: agentapi.ForWrite, File: "shop/price.go"}) },
		"start": func() string {
			starts++
			given, err := a.Briefing.SessionContext(t.Context(), agentapi.SessionContextParams{Project: "p", Root: root, Session: fmt.Sprint("start ", starts), Source: "startup", TokenBudget: 800})
			if err != nil {
				t.Fatal(err)
			}
			if n := a.Counter.Count(given.Text); n != given.Tokens {
				t.Errorf("%d tokens are reported as %d", n, given.Tokens)
			}
			return given.Text
		},
		"answer": func() string {
			found, err := a.Answers.Answer(t.Context(), agentapi.AnswerParams{TokenBudget: 1000, FindParams: agentapi.FindParams{
				Project: "p", Root: root, Text: "round price tax office", Limit: 5,
			}})
			if err != nil || len(found.Memories) != 1 {
				t.Fatalf("answered %+v, %v", found, err)
			}
			return found.Memories[0].Content + " (file " + found.Memories[0].Files + ")"
		},
	}
	check := func(when, want string) {
		t.Helper()
		for way, ask := range ways {
			got := ask()
			if !strings.Contains(got, "We never round") || strings.Contains(got, "since)") != (want != "") || !strings.Contains(got, want) {
				t.Errorf("%s, %s: got %q, want %q in it", when, way, got, want)
			}
		}
	}
	check("at first", "")
	write("package shop\n\nfunc Price() int { return 1 }\n\nfunc VAT() int { return 3 }\n")
	check("a line later", "")
	write("package shop\n\nfunc Total() int { return 7 }\n\nfunc Tax() int { return 3 }\n")
	check("rewritten", "(file changed since)")
	if err := os.Remove(filepath.Join(root, "shop", "price.go")); err != nil {
		t.Fatal(err)
	}
	check("removed", "")
	if got := agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: agentapi.ForWrite, File: "shop/price.go", Session: "s8"}); strings.Contains(got, "since") {
		t.Errorf("without a folder to look into the answer is %q", got)
	}
}

// The state of a file is stored for statements made in that state, and not for statements
// made before the file was changed, or in a session long ago.
func TestOnlyTheFileOfThenIsRemembered(t *testing.T) {
	a, store, _ := agenttest.New(t)
	root, write := priceFile(t)
	late := agenttest.Prompt(1, "We never log in `shop/late.go`, it is called for each item.")
	if err := os.WriteFile(filepath.Join(root, "shop", "late.go"), []byte("package shop\n"), 0o644); err != nil { // now, which is after noon
		t.Fatal(err)
	}
	agenttest.Ingested(t, a, below(root, late, agenttest.Prompt(2, priceRule))...)
	transcript := agenttest.Prompt(3, "We never sort in `shop/price.go`, the order is the customer's.")
	transcript.ID = memory.NewImportID("test", "1")
	if _, err := a.Intake.Import(t.Context(), agentapi.ImportParams{Events: below(root, transcript)}); err != nil {
		t.Fatal(err)
	}
	of := func(content string) map[string]string {
		t.Helper()
		all, err := memory.Memories(t.Context(), store, memory.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			if strings.Contains(m.Content, content) {
				return m.Fingerprints
			}
		}
		t.Fatalf("no memory has %q", content)
		return nil
	}
	if got := of("never log"); got != nil {
		t.Errorf("of a file that was changed since: %v", got)
	}
	if got := of("never sort"); got != nil {
		t.Errorf("of a transcript: %v", got)
	}
	first := of("never round")
	if len(first) != 1 || first["shop/price.go"] == "" {
		t.Fatalf("fingerprints %v", first)
	}
	write("package shop\n\nfunc Total() int { return 7 }\n")
	a.Now = func() time.Time { return agenttest.Noon.Add(48 * time.Hour) }
	again := agenttest.Prompt(30*3600, priceRule) // stated again, about the file in its present state
	agenttest.Ingested(t, a, below(root, again)...)
	if got := of("never round"); len(got) != 1 || got["shop/price.go"] == first["shop/price.go"] {
		t.Errorf("stated again, the fingerprints are %v, and were %v", got, first)
	}
}
