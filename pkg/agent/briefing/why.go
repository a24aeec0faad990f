package briefing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// mostMissed bounds the memories that just missed a prompt.
const mostMissed = 8

// Why tells what Recall would answer to a prompt in a new session, and what just misses
// it. It notes nothing as shown.
func (b *Briefing) Why(ctx context.Context, p agentapi.WhyParams) (agentapi.WhyResult, error) {
	result := agentapi.WhyResult{Told: []agentapi.WhyHit{}, Missed: []agentapi.WhyHit{}}
	if strings.TrimSpace(p.Text) == "" {
		return result, fmt.Errorf("the prompt is empty: %w", memory.ErrInvalid)
	}
	index, err := b.index(ctx, p.Project)
	if err != nil {
		return result, err
	}
	q := recall.Query{
		Text: p.Text, Now: b.Now(), Limit: recallLimit, Near: b.near(ctx, p.Project, p.Text), Unasked: true, ByScore: true, Explain: true,
	}
	hits := rules(index, q, func(memory.Memory) bool { return false })
	for _, hit := range index.Recall(q) {
		if !slices.ContainsFunc(hits, func(one recall.Hit) bool { return one.Memory.ID == hit.Memory.ID }) {
			hits = append(hits, hit)
		}
	}
	best := make([]memory.Memory, 0, len(hits))
	for _, hit := range hits {
		best = append(best, hit.Memory)
	}
	asked := agentapi.RecallParams{Purpose: agentapi.ForPrompt, TokenBudget: b.Prompt.TokenBudget, MaxLines: b.Prompt.MaxLines}
	chosen := best
	if asked.MaxLines > 0 {
		chosen = b.chosen(asked, best, b.told(index, new(session.Shown)))
	}
	isTold := func(m memory.Memory) bool {
		return slices.ContainsFunc(chosen, func(one memory.Memory) bool { return one.ID == m.ID })
	}
	result.Silent = len(chosen) == 0
	for _, hit := range hits {
		switch {
		case isTold(hit.Memory):
			result.Told = append(result.Told, agentapi.WhyHit{Memory: b.count(hit.Memory), Score: hit.Score, Why: reasonOf(hit)})
		case len(result.Missed) < mostMissed:
			result.Missed = append(result.Missed, agentapi.WhyHit{Memory: b.count(hit.Memory), Score: hit.Score, Why: "others fit better, or say the same; " + reasonOf(hit)})
		}
	}
	if result.Silent {
		result.Missed = b.nearMisses(index, q)
	}
	return result, nil
}

// nearMisses are what a prompt finds if it is taken for a question, with what kept each
// from being told.
func (b *Briefing) nearMisses(index *recall.Index, q recall.Query) []agentapi.WhyHit {
	missed := []agentapi.WhyHit{}
	asked := q
	asked.Unasked, asked.Limit = false, mostMissed
	for _, hit := range index.Recall(asked) {
		e := index.Explain(q, hit.Memory.ID)
		missed = append(missed, agentapi.WhyHit{Memory: b.count(hit.Memory), Score: hit.Score, Why: e.Reason})
	}
	return missed
}
