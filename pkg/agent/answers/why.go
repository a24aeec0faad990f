package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// mostMissed bounds the memories that just missed a prompt.
const mostMissed = 8

// Why returns Recall's answer to a prompt in a new session, and the memories that it just
// misses. It notes nothing as shown.
func (a *Answers) Why(ctx context.Context, p agentapi.WhyParams) (agentapi.WhyResult, error) {
	result := agentapi.WhyResult{Told: []agentapi.WhyHit{}, Missed: []agentapi.WhyHit{}}
	if strings.TrimSpace(p.Text) == "" {
		return result, fmt.Errorf("the prompt is empty: %w", memory.ErrInvalid)
	}
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return result, err
	}
	q := recall.Query{
		Text: p.Text, Now: a.Now(), Limit: briefing.RecallLimit, Near: a.Briefing.Near(ctx, p.Project, p.Text), Unasked: true, ByScore: true, Explain: true,
	}
	hits := briefing.Rules(index, q, func(memory.Memory) bool { return false })
	for _, hit := range index.Recall(q) {
		if !slices.ContainsFunc(hits, func(one recall.Hit) bool { return one.Memory.ID == hit.Memory.ID }) {
			hits = append(hits, hit)
		}
	}
	best := make([]memory.Memory, 0, len(hits))
	for _, hit := range hits {
		best = append(best, hit.Memory)
	}
	chosen := a.Briefing.WouldTell(index, best)
	isTold := func(m memory.Memory) bool {
		return slices.ContainsFunc(chosen, func(one memory.Memory) bool { return one.ID == m.ID })
	}
	result.Silent = len(chosen) == 0
	for _, hit := range hits {
		switch {
		case isTold(hit.Memory):
			result.Told = append(result.Told, agentapi.WhyHit{Memory: a.Briefing.Count(hit.Memory), Score: hit.Score, Why: reasonOf(hit)})
		case len(result.Missed) < mostMissed:
			result.Missed = append(result.Missed, agentapi.WhyHit{Memory: a.Briefing.Count(hit.Memory), Score: hit.Score, Why: "others fit better, or say the same; " + reasonOf(hit)})
		}
	}
	if result.Silent {
		result.Missed = a.nearMisses(index, q)
	}
	return result, a.then(ctx, p, &result)
}

// answerTime bounds the time from a prompt until its session is told.
const answerTime = 10 * time.Second

// then adds the memories that a session was told for a prompt when it was typed, which
// are those recorded between that prompt and the next, and those it knew already.
func (a *Answers) then(ctx context.Context, p agentapi.WhyParams, result *agentapi.WhyResult) error {
	if p.Session == "" || p.At.IsZero() {
		return nil
	}
	a.Sessions.Save(ctx)
	record, err := a.Store.SessionRecord(ctx, p.Session)
	if errors.Is(err, memory.ErrNotFound) || err == nil && record.Session.Project != p.Project {
		return nil
	}
	if err != nil {
		return err
	}
	told, err := a.Store.ToldIn(ctx, p.Session, record.Session.StartedAt, answeredBy(record, p.At))
	if err != nil {
		return err
	}
	var ids []string
	known := map[string]time.Time{}
	for _, one := range told {
		switch {
		case one.Subagent != "":
		case one.At.Before(p.At):
			known[one.Memory] = one.At
		case one.Hook == agentapi.ForPrompt:
			ids = append(ids, one.Memory)
		}
	}
	for i := range result.Told {
		result.Told[i].KnownSince = known[result.Told[i].Memory.ID]
	}
	result.Then, err = a.Get(ctx, agentapi.GetParams{Project: p.Project, IDs: ids})
	return err
}

// answeredBy is until when the answer to the prompt of a time is given: to the next one.
func answeredBy(record memory.SessionRecord, at time.Time) time.Time {
	until := at.Add(answerTime)
	for _, prompt := range record.Prompts {
		if prompt.At.After(at) && prompt.At.Before(until) {
			until = prompt.At
		}
	}
	return until
}

// nearMisses are the hits of a prompt taken for a question, each with the reason why it
// is not told.
func (a *Answers) nearMisses(index *briefing.Index, q recall.Query) []agentapi.WhyHit {
	missed := []agentapi.WhyHit{}
	asked := q
	asked.Unasked, asked.Limit = false, mostMissed
	for _, hit := range index.Recall(asked) {
		e := index.Explain(q, hit.Memory.ID)
		missed = append(missed, agentapi.WhyHit{Memory: a.Briefing.Count(hit.Memory), Score: hit.Score, Why: e.Reason})
	}
	return missed
}
