package answers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Explain returns a memory with its history and strength, and why a new session gets it or not: at its start, and for p.Text.
func (a *Answers) Explain(ctx context.Context, p daemonapi.ExplainParams) (daemonapi.Explanation, error) {
	a.Briefing.Sessions.Save(ctx)
	m, err := memory.Find(ctx, a.Store, p.ID, p.Project, "")
	if err != nil {
		return daemonapi.Explanation{}, err
	}
	explanation, err := a.explainStrength(ctx, m.ID)
	if err != nil {
		return explanation, err
	}
	row := explanation.Row
	if explanation.Start, err = a.Briefing.AtStart(ctx, p.Project, p.Root, row); err != nil {
		return explanation, err
	}
	explanation.Start.Why += whyArchived(explanation)
	if strings.TrimSpace(p.Text) == "" {
		return explanation, nil
	}
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return explanation, err
	}
	d, err := a.decide(ctx, p.Project, p.Root, p.Text)
	if err != nil {
		return explanation, err
	}
	given, _ := d.Given()
	at := slices.IndexFunc(d.Candidates, func(c briefing.Candidate) bool { return c.Memory.ID == m.ID })
	explanation.Query = &daemonapi.QueryExplanation{Silent: len(given) == 0}
	if at < 0 {
		explanation.Query.LeftOut = briefing.Missing(index, row)
		explanation.Query.Why += whyArchived(explanation)
		return explanation, nil
	}
	c := d.Candidates[at]
	explanation.Query.Score, explanation.Query.LeftOut = c.Score, c.LeftOut
	if c.Given {
		explanation.Query.Rank = at + 1
	}
	return explanation, nil
}

// whyArchived returns ": " and the reason why a memory is archived, or "" if another memory replaced it or the reason is unknown.
func whyArchived(e daemonapi.Explanation) string {
	if e.Row.Memory.Status != memory.StatusArchived || e.Row.SupersededBy != "" {
		return ""
	}
	for _, change := range e.History.Changes {
		if change.At.Equal(e.Row.RetiredAt) && change.Reason != "" && change.Reason != string(memory.StatusArchived) {
			return ": " + memory.ShortenIDs(change.Reason)
		}
	}
	return ""
}

// decide returns the decision for the first prompt of a new session.
func (a *Answers) decide(ctx context.Context, project, root, text string) (briefing.Decision, error) {
	hooks := a.Briefing.Hooks()
	return a.Briefing.Decide(ctx, daemonapi.RecallParams{
		Purpose: daemonapi.ForPrompt, Project: project, Root: root, Text: text,
		TokenBudget: hooks.PromptTokens, MaxLines: hooks.PromptLines, Hint: true,
	})
}

// explainStrength returns a memory with its history, and its strength by the rules of maintenance.
func (a *Answers) explainStrength(ctx context.Context, id string) (e daemonapi.Explanation, err error) {
	rows, err := a.Store.Rows(ctx, memory.WithIDs{id})
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("memory %s was deleted in the meantime: %w", id, memory.ErrNotFound)
	}
	if err != nil {
		return e, err
	}
	totals, err := a.Store.Totals(ctx, memory.ActiveDays{})
	if err != nil {
		return e, err
	}
	row := rows[0]
	e.Strength = policy.Strength(row, policy.Now{Time: a.Briefing.Now().UTC(), Clocks: policy.NewClocks(totals.Days)})
	e.ArchiveBelow, e.Protected, e.Row = policy.ArchiveBelow, policy.Protected(row), row
	e.Row.Memory = a.Briefing.Count(e.Row.Memory)
	e.History, err = a.Store.History(ctx, id)
	return e, err
}

// mostSkipped is the maximum number of skipped memories that Why returns.
const mostSkipped = 8

// Why returns the memories that Recall would inject for the first prompt of a new session, and the nearest that it
// would skip. It records none as shown. It fails with memory.ErrInvalid for an empty prompt.
func (a *Answers) Why(ctx context.Context, p daemonapi.WhyParams) (daemonapi.WhyResult, error) {
	result := daemonapi.WhyResult{Injected: []daemonapi.WhyHit{}, Skipped: []daemonapi.WhyHit{}}
	if strings.TrimSpace(p.Text) == "" {
		return result, fmt.Errorf("the prompt is empty: %w", memory.ErrInvalid)
	}
	d, err := a.decide(ctx, p.Project, p.Root, p.Text)
	if err != nil {
		return result, err
	}
	given, others := d.Given()
	result.Silent = len(given) == 0
	result.Injected = append(result.Injected, a.hits(given)...)
	result.Skipped = append(result.Skipped, a.hits(others[:min(len(others), mostSkipped)])...)
	return result, nil
}

func (a *Answers) hits(candidates []briefing.Candidate) []daemonapi.WhyHit {
	hits := make([]daemonapi.WhyHit, len(candidates))
	for i, c := range candidates {
		hits[i] = c.WhyHit
		hits[i].Memory = a.Briefing.Count(c.Memory)
	}
	return hits
}

// fitting is the least share of a question's topic words, weighted by rarity, that a memory must have to fit the
// question. On testdata/recall/coding, the answer is among the ten best memories for 187 of 220 questions, and 47 of
// 200 unrelated prompts have a memory that fits.
const fitting = 0.3

// Answer returns the memories of Find that fit the question, or the single nearest memory if none fits, with the nearest sessions
// (see withPast). It skips memories that exceed the remaining budget, and records the returned ones as shown to the session.
func (a *Answers) Answer(ctx context.Context, p daemonapi.AnswerParams) (daemonapi.Answer, error) {
	answer := daemonapi.Answer{Memories: []daemonapi.Answered{}}
	hits, err := a.Find(ctx, p.FindParams)
	if err != nil {
		return answer, err
	}
	hits = slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.Share == 0 })
	fit := slices.DeleteFunc(slices.Clone(hits), func(h memory.Hit) bool { return h.Share < fitting })
	if len(fit) == 0 {
		fit = hits[:min(1, len(hits))]
	}
	if hits, err = a.withPast(ctx, p.FindParams, fit); err != nil {
		return answer, err
	}
	answer.Nearest = len(hits) > 0 && !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Share >= fitting })
	if !answer.Nearest {
		answer.Left = len(hits)
	}
	switch {
	case answer.Nearest:
		answer.Note = "Nothing that is remembered fits this question; this is the nearest. " + memory.Preamble
	case len(hits) > 0:
		answer.Note = memory.Preamble + " Where two disagree, the newest holds."
	}
	answer.Tokens = a.tokensOf(answer)
	var shown []string // ids of memories, without sessions and sentences of prompts
	for _, hit := range hits {
		next := answer
		next.Memories, next.Left = append(slices.Clone(answer.Memories), answered(hit.Memory)), max(answer.Left-1, 0)
		if next.Tokens = a.tokensOf(next); next.Tokens > p.TokenBudget {
			continue
		}
		if answer = next; hit.Memory.Kind != memory.KindTurn {
			shown = append(shown, hit.Memory.ID)
		}
	}
	a.Briefing.Sessions.Record(session.Conversation{Session: p.Session}, "mcp", shown)
	if !answer.Nearest {
		a.Briefing.Sessions.Recalled(p.Session, shown, a.Briefing.Now().UTC())
	}
	return answer, nil
}

func answered(m memory.Memory) daemonapi.Answered {
	status := ""
	if m.Status != memory.StatusActive {
		status = string(m.Status)
	}
	return daemonapi.Answered{
		Status: status, Content: render.Words(m), Source: m.Attribution(),
		Date: m.LastSeenAt.UTC().Format(time.DateOnly), ID: memory.ShortID(m.ID), Kind: string(m.Kind),
	}
}

// tokensOf returns the tokens of an answer as the client serialises it, including the count itself.
func (a *Answers) tokensOf(answer daemonapi.Answer) int {
	answer.Tokens = 0
	for {
		tokens := a.Briefing.Counter.Count(asJSON(answer))
		if tokens <= answer.Tokens {
			return answer.Tokens
		}
		answer.Tokens = tokens
	}
}

// asJSON encodes a value of strings and numbers as JavaScript does.
func asJSON(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // encoding such a value into a Builder never fails
	return strings.TrimSuffix(text.String(), "\n")
}
