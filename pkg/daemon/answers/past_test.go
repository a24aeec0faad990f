package answers_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// A long question shares little with any sentence: the longer it was, the less was found, and of a whole issue nothing.
func TestALongQuestionFindsTheSession(t *testing.T) {
	a, _, _ := daemontest.New(t)
	n := 0
	say := func(session, prompt, answer string) {
		n += 2
		asked := daemontest.Prompt(n, prompt)
		asked.Session = session
		told := daemontest.Prompt(n+1, "")
		told.Kind, told.Session, told.Prompt, told.Text = memory.EventTurnEnded, session, "", answer
		daemontest.Put(t, a.Spools[0], asked)
		daemontest.Put(t, a.Spools[0], told)
	}
	say("aaaa1111-0000", "The webhook sends an order twice if the first answer comes late. Find out why.",
		"The retry queue in dispatcher.go keeps no idempotency key; deliveries now carry one.")
	say("bbbb2222-0000", "Paint the chart of monthly revenue in the colours of the brand.", "The palette of chart.tsx is the brand's now.")
	say("cccc3333-0000", "Why does the importer skip rows with umlauts?", "The CSV reader guessed latin1; it reads UTF-8 now.")
	musttest.Get(a.Intake.Ingest(t.Context()))(t)
	ask := func(text string) daemonapi.Answer {
		t.Helper()
		answer := musttest.Get(a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: 1000, FindParams: daemonapi.FindParams{
			Project: "p", Session: "asking", Text: text, Limit: 50,
		}}))(t)
		return answer
	}
	for name, c := range map[string]struct{ question, want string }{
		"a title":          {"Deliveries of the webhook arrive doubled", "aaaa1111"},
		"words of answers": {"where is the idempotency key of the dispatcher", "aaaa1111"},
		"an issue": {"## Description\n\nSince the update of last week our partner receives some orders two times. " +
			"His endpoint needs six seconds when the warehouse is busy, and then the webhook seems to give up and to send all of it again.\n\n" +
			"## Steps\n\n1. answer late\n2. look into the queue\n\nExpected: one delivery. Traceback:\n\n" + strings.Repeat("  at worker (/srv/app/worker.js:12)\n", 60), "aaaa1111"},
		"another": {"Rows of customers with ä, ö or ü are missing after the import of a CSV file, nothing stands in the log, and the count at the end is too low", "cccc3333"},
	} {
		answer := ask(c.question)
		if len(answer.Memories) == 0 || !strings.HasPrefix(answer.Memories[0].ID, c.want) && answer.Memories[0].Kind != "turn" {
			t.Errorf("%s: %+v, want session %s first", name, answer, c.want)
			continue
		}
		first := ""
		for _, m := range answer.Memories {
			if len(m.ID) == len(c.want) {
				first = m.ID
				break
			}
		}
		if first != c.want {
			t.Errorf("%s: the first session is %q of %+v, want %s", name, first, answer, c.want)
		}
	}
	found, err := a.Answers.Nearest(t.Context(), "p", "revenue chart", 5)
	if err != nil || len(found) == 0 || found[0].ID != "bbbb2222-0000" {
		t.Errorf("sessions about a revenue chart: %v, %v", found, err)
	}
	shown, err := a.Answers.Fetch(t.Context(), daemonapi.FetchParams{Project: "p", IDs: []string{"bbbb2222"}})
	if err != nil || len(shown.Memories) != 1 || !strings.Contains(shown.Memories[0].Content, "monthly revenue") {
		t.Errorf("the session by the digits that are shown: %+v, %v", shown, err)
	}
}
