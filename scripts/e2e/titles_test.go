//go:build e2e

package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// The fact of the test: its text, its title, and a cue in words that neither has. The text is longer than the others',
// so that it does not fill the rest of the budget.
const (
	guestFact = "The invoice mail leaves out guests, because they have no account and their address stands in the order alone; the " +
		"sender reads accounts only, and was left so on purpose when the shop opened to guests, as their confirmation page shows the whole " +
		"invoice, with a link that they can keep and that stays valid as long as the order does, which is ten years."
	guestTitle = "Invoice mail skips guests: address only in order"
	guestCue   = "buyers without a login get no receipt"
)

var shortID = regexp.MustCompile(`([0-9a-f]{4,}) ` + regexp.QuoteMeta(guestTitle))

// A project with more facts than a start has room for: each is there at least by its title, in its area's line. The
// model fetches one by its short id, and a prompt in the words of a cue injects it in full. All of them were stored by
// the model that works for the user; no second one reads the sessions.
func TestTheModelFetchesByTitleAndAPromptByCue(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	api.Script("keeping", append(manyFacts(), Say("Kept."))...)
	keeping := u.Run(t.Context(), "Keep all that you found out. SCRIPT:keeping")
	requireGoodRun(t, keeping, "SessionStart:startup", "SessionEnd:other")
	u.stored(t, keeping.SessionID)

	requireGoodRun(t, u.Run(t.Context(), "Good morning."))
	start := strings.Join(lastRequest(t, api, "Good morning.").Injected("SessionStart"), "\n")
	found := shortID.FindStringSubmatch(start)
	if found == nil {
		t.Fatalf("the start does not name the fact by its title:\n%s", start)
	}
	if strings.Contains(start, guestFact) {
		t.Errorf("the start has the least important of %d facts in full:\n%s", factCount+1, start)
	}
	if !strings.Contains(start, "The nightly job computes the ") {
		t.Errorf("the start has no fact in full:\n%s", start)
	}
	for _, area := range factAreas {
		if !strings.Contains(start, "\n- "+area+": ") {
			t.Errorf("the start has no line for %s:\n%s", area, start)
		}
	}

	api.Script("fetch", Call(tool("get_memories"), map[string]any{"ids": []string{found[1]}}), Say("They are in the order."))
	requireGoodRun(t, u.Run(t.Context(), "Where are they? SCRIPT:fetch"))
	if results := toolResults(t, lastRequest(t, api, "Where are they?")); len(results) != 1 || !strings.Contains(results[0], guestFact) {
		t.Errorf("get_memories answered %q for %s", results, found[1])
	}

	const prompt = "Two buyers without a login got no receipt, why?"
	requireGoodRun(t, u.Run(t.Context(), prompt))
	if given := strings.Join(lastRequest(t, api, prompt).Injected("UserPromptSubmit"), "\n"); !strings.Contains(given, guestFact) {
		t.Errorf("the prompt was given %q", given)
	}
}

const factCount = 40

var (
	factAreas = []string{"payments", "exports", "search", "deploys"}
	factParts = []string{"ledger", "discounts", "currency table", "tax rates", "refund queue", "audit trail", "thumbnails", "synonyms", "quota", "retention"}
)

// manyFacts are the steps of a model that stores factCount facts and the one of the test.
func manyFacts() []Step {
	var steps []Step
	for i := range factCount {
		area, part := factAreas[i%len(factAreas)], factParts[i/len(factAreas)]
		steps = append(steps, Call(tool("store_memory"), map[string]any{
			"content": fmt.Sprintf("The nightly job computes the %s of %s at %d:%02d, since the page ran into its limit of %d seconds for customers with over %d,000 rows; "+
				"whoever needs it sooner asks the operators to start the job by hand and waits for the mail that lists what has changed.",
				part, area, i%5, i+10, i+20, i+3),
			"title": fmt.Sprintf("Nightly job computes %s %s at %d:%02d", area, part, i%5, i+10), "area": area, "importance": 2,
		}))
	}
	return append(steps, Call(tool("store_memory"), map[string]any{
		"content": guestFact, "title": guestTitle, "area": factAreas[0], "cues": []string{guestCue}, "importance": 1,
	}))
}
