package answers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// An explicit question got every memory that shares a word with it, up to the budget, and heard that yet more fit.
func TestOnlyMemoriesThatFitAnswerAQuestion(t *testing.T) {
	a, _, _ := daemontest.New(t)
	for i, text := range []string{
		"remember: the staging database listens on port 6543",
		"remember: the release notes are written by hand before a release",
		"remember: the invoices are sent on the first day of a month",
		"remember: the database of the shop is backed up at night",
	} {
		daemontest.Put(t, a.Spools[0], daemontest.Prompt(i+1, text))
	}
	musttest.Get(a.Intake.Ingest(t.Context()))(t)
	ask := func(text string, budget int) daemonapi.Answer {
		t.Helper()
		answer := musttest.Get(a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: budget, FindParams: daemonapi.FindParams{Project: "p", Session: "asking", Text: text, Limit: 50}}))(t)
		return answer
	}
	fits := ask("on which port does the staging database listen", 1000)
	if fits.Nearest || len(fits.Memories) != 1 || !strings.Contains(fits.Memories[0].Content, "6543") || fits.Left != 0 {
		t.Errorf("of a question with an answer: %+v", fits)
	}
	for _, question := range []string{"which colour has the logo on the release posters of the marketing department", "who is the day watchman of the parking garage in winter"} {
		if got := ask(question, 1000); !got.Nearest || len(got.Memories) > 2 || got.Left != 0 {
			t.Errorf("%q: %+v", question, got)
		}
	}
	if got := ask("who is the mayor of it", 1000); len(got.Memories) != 0 {
		t.Errorf("of a question that shares stop words: %+v", got)
	}
	if got := ask("quantum chromodynamics", 1000); got.Nearest || len(got.Memories) != 0 || got.Note != "" {
		t.Errorf("of a question that shares no word: %+v", got)
	}
	if got := ask("staging database port", 20); len(got.Memories) != 0 || got.Left == 0 || got.Nearest {
		t.Errorf("with too small a budget: %+v", got)
	}
}

// What the user said later about the same comes before the older words, however well these fit, and with them.
func TestAnAnswerHasTheLastWordFirst(t *testing.T) {
	for name, said := range map[string][]string{
		"asked for twice":       {"remember: the staging database listens on port 6543", "remember: staging listens on port 7000"},
		"in passing":            {"from now on the staging database listens on port 6543", "ok, staging always listens on port 7000"},
		"asked for, in passing": {"remember: the staging database listens on port 6543", "from now on staging listens on port 7000"},
		"three of one":          {"remember: the staging database listens on port 6543", "remember: the staging database listens on 6000", "remember: staging listens on port 7000"},
		"by another verb":       {"remember: the staging database listens on port 6543", "remember: the staging database is 7000 now"},
		"at length":             {"remember: the staging database listens on 6543", "remember: database on staging is at 7000, since Monday, as the old host is switched off"},
	} {
		a, _, s := daemontest.New(t)
		for i, text := range said {
			daemontest.Put(t, s, daemontest.Prompt(i+1, text))
		}
		musttest.Get(a.Intake.Ingest(t.Context()))(t)
		answer := musttest.Get(a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: 1000, FindParams: daemonapi.FindParams{
			Project: "p", Session: "asking", Text: "on which port does the staging database listen", Limit: 10,
		}}))(t)
		if len(answer.Memories) != len(said) || !strings.Contains(answer.Memories[0].Content, "7000") || !strings.Contains(answer.Memories[len(said)-1].Content, "6543") {
			t.Errorf("%s: %+v", name, answer.Memories)
		}
	}
}

// The words of a question may be those of the older line alone; its correction comes all the same, above it.
func TestAnAnswerBringsTheCorrection(t *testing.T) {
	for _, said := range [][2]struct {
		byUser bool
		text   string
	}{
		{{byUser: true, text: "the staging database port is 5432"}, {byUser: true, text: "the staging database port is 6543"}},
		{{byUser: true, text: "the staging database listens on port 5432 for postgres"}, {byUser: true, text: "staging database port is no longer that, always use 6543"}},
		{{text: "The staging database listens on port 5432."}, {byUser: true, text: "the staging database port is 6543 from now on"}},
	} {
		a, _, _ := daemontest.New(t)
		for i, line := range said {
			e := daemontest.Stored(i+1, line.text)
			e.ByUser = line.byUser
			daemontest.Kept(t, a, e)
		}
		for _, question := range []string{"5432", "is it 5432", "staging database port 5432", "which port does the staging database listen on?", "staging database port"} {
			for _, isWords := range []bool{true, false} {
				found := daemontest.Found(t, a, daemonapi.FindParams{Text: question, Words: isWords})
				if older := slices.Index(found, said[0].text); older >= 0 && older < slices.Index(found, said[1].text) || older >= 0 && !slices.Contains(found, said[1].text) {
					t.Errorf("%q (words: %v) finds %q", question, isWords, found)
				}
			}
		}
		row := musttest.Get(memory.Memories(t.Context(), a.Store, memory.Filter{Project: "p", Limit: 9}))(t)
		older := row[slices.IndexFunc(row, func(m memory.Memory) bool { return m.Content == said[0].text })]
		fetched := musttest.Get(a.Answers.Fetch(t.Context(), daemonapi.FetchParams{Project: "p", Session: "s2", IDs: []string{older.ID}}))(t)
		texts := memory.Each(fetched.Memories, func(m memory.Memory) string { return m.Content })
		musttest.Same(t, []string{said[1].text, said[0].text}, texts, "fetched by the id of the older one")
	}
}

// What the user has forgotten or edited is no answer any more, also not as a sentence of the prompt in which it was said.
func TestWhatIsTakenBackIsNoAnswer(t *testing.T) {
	const old = "the staging database is always on port 5432"
	for name, change := range map[string]memory.Change{"forgotten": {Status: memory.StatusArchived}, "edited": {Content: "we have no database for trials"}} {
		for _, prompt := range []string{"look at the config. " + old + ".", "remember: " + old, old + ". except on the laptop of Ann, as long as it is slow."} {
			a, _, _ := daemontest.New(t)
			daemontest.Ingested(t, a, daemontest.Prompt(1, prompt))
			ask := func(byWord bool) []memory.Hit {
				return musttest.Get(a.Answers.Find(t.Context(), daemonapi.FindParams{Project: "p", Session: "s2", Text: "staging database port", Words: byWord, Limit: 10}))(t)
			}
			said := ask(false)
			if len(said) == 0 {
				t.Fatalf("%s, %q: nothing is found before", name, prompt)
			}
			rows := musttest.Get(a.Store.Rows(t.Context(), memory.Page{Project: "p", Status: memory.StatusActive, Limit: 2}))(t)
			daemontest.Changed(t, a, rows[0].Memory.ID, 2, change)
			answer := musttest.Get(a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: 1000, FindParams: daemonapi.FindParams{Project: "p", Session: "s2", Text: "staging database port", Limit: 10}}))(t)
			if text := fmt.Sprint(answer); strings.Contains(text, "5432") {
				t.Errorf("%s, %q: the answer %s", name, prompt, text)
			}
			for _, hit := range slices.Concat(ask(false), ask(true)) {
				if strings.Contains(hit.Memory.Content, "5432") {
					t.Errorf("%s, %q: found %+v", name, prompt, hit.Memory)
				}
			}
		}
	}
}

// A search lists the memories that have a word of the query, and no neighbours or synonyms.
func TestASearchListsMemoriesWithAWord(t *testing.T) {
	a, _, _ := daemontest.New(t)
	for i, text := range []string{"remember: the deployment takes ten minutes", "remember: releases are tagged by hand", "remember: the parser is in lex.go"} {
		daemontest.Put(t, a.Spools[0], daemontest.Prompt(i+1, text))
	}
	musttest.Get(a.Intake.Ingest(t.Context()))(t)
	for words, want := range map[string]string{"deploy": "ten minutes", "LEX.go tomorrow": "lex.go", "release": "tagged", "parzer": "lex.go"} {
		hits, err := a.Answers.Find(t.Context(), daemonapi.FindParams{Project: "p", Text: words, Words: true, Limit: 50})
		if err != nil || len(hits) != 1 || !strings.Contains(hits[0].Memory.Content, want) {
			t.Errorf("%s: found %+v, %v; want %q alone", words, hits, err, want)
		}
	}
}

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
	say("aaaa1111-0000", "The webhook sends an order twice if the first answer comes late. Find out why.", "The retry queue in dispatcher.go keeps no idempotency key; deliveries now carry one.")
	say("bbbb2222-0000", "Paint the chart of monthly revenue in the colours of the brand.", "The palette of chart.tsx is the brand's now.")
	say("cccc3333-0000", "Why does the importer skip rows with umlauts?", "The CSV reader guessed latin1; it reads UTF-8 now.")
	musttest.Get(a.Intake.Ingest(t.Context()))(t)
	ask := func(text string) daemonapi.Answer {
		t.Helper()
		answer := musttest.Get(a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: 1000, FindParams: daemonapi.FindParams{Project: "p", Session: "asking", Text: text, Limit: 50}}))(t)
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
