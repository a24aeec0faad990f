package answers_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

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
		answer := musttest.Get(a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: budget, FindParams: daemonapi.FindParams{
			Project: "p", Session: "asking", Text: text, Limit: 50,
		}}))(t)
		return answer
	}
	fits := ask("on which port does the staging database listen", 1000)
	if fits.Nearest || len(fits.Memories) != 1 || !strings.Contains(fits.Memories[0].Content, "6543") || fits.Left != 0 {
		t.Errorf("of a question with an answer: %+v", fits)
	}
	for _, question := range []string{
		"which colour has the logo on the release posters of the marketing department",
		"who is the day watchman of the parking garage in winter",
	} {
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

// A search lists the memories that have a word of the query, and no neighbours or synonyms.
func TestASearchListsMemoriesWithAWord(t *testing.T) {
	a, _, _ := daemontest.New(t)
	for i, text := range []string{
		"remember: the deployment takes ten minutes", "remember: releases are tagged by hand", "remember: the parser is in lex.go",
	} {
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
