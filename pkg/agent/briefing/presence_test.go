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

// A fact whose file is gone from the checkout is injected at no start and for no prompt there until
// the file is back; an explicit question returns it, with the missing name and since when.
func TestAFactWhoseFileIsGone(t *testing.T) {
	a, _, _ := agenttest.New(t)
	now := agenttest.Noon
	a.Now = func() time.Time { return now }
	root, _ := priceFile(t)
	elsewhere := t.TempDir()
	const content = "Prices in shop/price.go have four digits, because the tax office wants the fourth."
	e := agenttest.Event(1, memory.EventDistilled)
	e.Distilled = &memory.Distilled{Part: "part", Facts: []memory.DistilledFact{{
		Text: content, Title: "Prices have four digits", Area: "prices", Kind: memory.KindDiscovery, Called: memory.KindDiscovery,
		Quotes: []string{"the tax office wants the fourth digit"}, At: e.At, Weight: 3, Cues: []string{"round a price", "tax office digits"},
	}}}
	agenttest.Ingested(t, a, below(root, agenttest.Event(0, memory.EventSessionStarted))...)
	made, err := a.Intake.Distilled(t.Context(), e)
	if err != nil || len(made) != 1 {
		t.Fatalf("%+v, %v", made, err)
	}
	n := 10
	look := func() {
		t.Helper()
		n, now = n+1, now.Add(24*time.Hour)
		agenttest.Ingested(t, a, below(root, agenttest.Prompt(n, "and now"))...)
		a.Presence.Check(t.Context())
	}
	ways := map[string]func(root string) string{
		"start": func(root string) string {
			given, err := a.Briefing.SessionContext(t.Context(), agentapi.SessionContextParams{Project: "p", Root: root, Session: memory.NewEventID(now), Source: "startup", TokenBudget: 2000})
			if err != nil {
				t.Fatal(err)
			}
			return given.Text
		},
		"prompt": func(root string) string {
			return agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: agentapi.ForPrompt, Root: root, Session: memory.NewEventID(now), Text: "how do we round a price for the tax office digits?", MaxLines: 5})
		},
	}
	asked := func() string {
		t.Helper()
		got, err := a.Answers.Get(t.Context(), agentapi.GetParams{Project: "p", Root: root, IDs: []string{made[0].ID}})
		if err != nil || len(got) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		return got[0].Since()
	}
	want := func(root string, given bool, since string) {
		t.Helper()
		for name, way := range ways {
			if text := way(root); strings.Contains(text, "four digits") != given {
				t.Errorf("%s below %s: it should be given: %v\n%s", name, filepath.Base(root), given, text)
			}
		}
		if got := asked(); got != since {
			t.Errorf("the answer is %q, want %q", got, since)
		}
	}
	look()
	want(root, true, "")
	file := filepath.Join(root, "shop", "price.go")
	if err := os.Rename(file, file+".old"); err != nil {
		t.Fatal(err)
	}
	look()
	gone := fmt.Sprintf("shop/price.go gone, noticed %s", now.Format(time.DateOnly))
	want(root, false, gone)
	want(elsewhere, true, gone)
	look()
	want(root, false, gone)
	if preview, err := a.Answers.Preview(t.Context(), agentapi.PreviewParams{Project: "p", TokenBudget: 2000}); err != nil || strings.Contains(preview.Text, "four digits") {
		t.Errorf("the next start is to have it: %v\n%s", err, preview.Text)
	}
	if why, err := a.Answers.Why(t.Context(), agentapi.WhyParams{Project: "p", Text: "how do we round a price for the tax office digits?"}); err != nil || !why.Silent {
		t.Errorf("a prompt is to have it: %+v, %v", why, err)
	}
	if answer, err := a.Answers.Answer(t.Context(), agentapi.AnswerParams{TokenBudget: 1000, FindParams: agentapi.FindParams{Project: "p", Root: root, Text: "price digits tax office", Limit: 5}}); err != nil || len(answer.Memories) != 1 || answer.Memories[0].Files != gone {
		t.Errorf("recalled by a question it is %+v, %v", answer, err)
	}
	if err := os.Rename(file+".old", file); err != nil {
		t.Fatal(err)
	}
	look()
	want(root, true, "")
}
