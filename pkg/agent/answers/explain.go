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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// explaining are the methods of this file.
func (a *Answers) explaining() []agentapi.Handler {
	return []agentapi.Handler{
		agentapi.MethodExplain.Handle(a.Explain),
		agentapi.MethodWhy.Handle(a.Why),
	}
}

// Explain tells all that recall knows of a memory, and whether and why a prompt with the
// text recalls it. It ignores that the session may know it already.
func (a *Answers) Explain(ctx context.Context, p agentapi.ExplainParams) (agentapi.Explanation, error) {
	m, err := memory.Visible(ctx, a.Store, p.Project, p.ID)
	if err != nil {
		return agentapi.Explanation{}, err
	}
	m = a.Briefing.Count(m)
	explanation := agentapi.Explanation{
		ID: m.ID, Kind: m.Kind, Scope: m.Scope, Type: m.Type, Status: m.Status, Pinned: m.Pinned,
		Importance: m.Importance, LastSeenAt: m.LastSeenAt, Tokens: m.TokenCount, Encoding: m.TokenEncoding,
	}
	explanation.SaidIn = a.Briefing.LoadedIn(ctx, p.Root, p.Dir).Says(m)
	if err := a.explainStrength(ctx, &explanation); err != nil {
		return explanation, err
	}
	if strings.TrimSpace(p.Text) == "" && len(p.Files) == 0 {
		return explanation, nil
	}
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return explanation, err
	}
	if m.IsModelWritten() {
		explanation.Query = explainFact(index, p, m.ID)
		return explanation, nil
	}
	e := index.Explain(recall.Query{
		Text: p.Text, Files: p.Files, Now: a.Now(), Limit: briefing.RecallLimit, Near: a.Briefing.Near(ctx, p.Project, p.Text), Unasked: true,
	}, m.ID)
	explanation.Query = &agentapi.QueryExplanation{Rank: e.Rank, Reason: e.Reason, Silent: e.Silent, Score: e.Score}
	for _, part := range e.Why {
		explanation.Query.Parts = append(explanation.Query.Parts, agentapi.ScorePart{Name: part.Name, Value: part.Value})
	}
	return explanation, nil
}

// explainFact tells whether and why a prompt, or a file alone, is told a model's fact.
func explainFact(index *briefing.Index, p agentapi.ExplainParams, id string) *agentapi.QueryExplanation {
	if strings.TrimSpace(p.Text) == "" {
		hits := index.Facts.File(p.Files[0], false, briefing.RecallLimit)
		if at := slices.IndexFunc(hits, func(h facts.Hit) bool { return h.Memory.ID == id }); at >= 0 {
			return &agentapi.QueryExplanation{Rank: at + 1, Score: hits[at].Score, Parts: []agentapi.ScorePart{{Name: "importance: a cue names the file", Value: hits[at].Score}}}
		}
		return &agentapi.QueryExplanation{Reason: "no cue of it names the file", Silent: len(hits) == 0}
	}
	e, has := index.Facts.Explain(p.Text, id)
	q := &agentapi.QueryExplanation{Score: e.Score, Silent: (e.Best <= e.Gate || e.Overlap <= e.Words) && !e.Told}
	switch {
	case !has:
		return &agentapi.QueryExplanation{Reason: "it is not offered: a newer fact replaced it, or it is put away"}
	case e.Told:
		q.Rank = e.Rank
	case e.Rank == 0:
		q.Reason = "it shares no word with it"
	case q.Silent && e.Best > e.Gate:
		q.Reason = fmt.Sprintf("the best fact has too few of the question's words: %.2f, and it needs more than %.2f (words shared by the root of all)", e.Overlap, e.Words)
	case q.Silent:
		q.Reason = fmt.Sprintf("the best fact scores %.2f, and this text needs more than %.2f", e.Best, e.Gate)
	default:
		q.Reason = fmt.Sprintf("it scores %.2f, far below the best fact with %.2f", e.Score, e.Best)
	}
	q.Parts = append(q.Parts, agentapi.ScorePart{Name: "the gate, above which the best fact must score", Value: e.Gate})
	if e.Cue != "" {
		q.Parts = append(q.Parts, agentapi.ScorePart{Name: "with the help of its cue: " + e.Cue, Value: e.Score})
	}
	return q
}

// curveDays is the length of the strength curve in active days: two of the longest
// half-lives.
const curveDays = 60

// explainStrength tells how strong a memory is by the rule that maintenance uses.
func (a *Answers) explainStrength(ctx context.Context, e *agentapi.Explanation) error {
	rows, err := a.Store.Rows(ctx, memory.RowQuery{IDs: []string{e.ID}})
	if err != nil || len(rows) == 0 {
		return err
	}
	days, err := a.Store.ActiveDays(ctx)
	if err != nil {
		return err
	}
	clocks := policy.NewClocks(days)
	row := policy.Resolved(rows[0], clocks)
	e.Strength = policy.Strength(row, policy.NewNow(a.Now().UTC(), clocks), a.Rules)
	e.ArchiveBelow, e.Protected, e.Uses = rules.ArchiveBelow, row.Protected(), row.Uses
	row.UsedOn = 0 // the start of the curve
	for day := range curveDays + 1 {
		now := policy.Now{ActiveDays: map[string]float64{row.Memory.Project: float64(day)}}
		e.Curve = append(e.Curve, policy.Strength(row, now, a.Rules))
	}
	return nil
}

// reasons explains in a line each why Find returned a memory, if requested.
func (a *Answers) reasons(ctx context.Context, p agentapi.AnswerParams, found []memory.Hit) (map[string]string, error) {
	if !p.Explain {
		return nil, nil
	}
	reasons := map[string]string{}
	for _, hit := range found { // memories that the ranking did not find
		reasons[hit.Memory.ID] = "has a word of the query; nothing fits it well"
	}
	if p.Archived {
		return reasons, nil
	}
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return nil, err
	}
	q := a.findQuery(ctx, p.FindParams)
	q.Explain = true
	for _, hit := range index.Recall(q) {
		reasons[hit.Memory.ID] = reasonOf(hit)
	}
	return reasons, nil
}

// reasonOf writes the parts of a score as a sum times the factors.
func reasonOf(hit recall.Hit) string {
	var sum, factors []string
	for _, part := range hit.Why {
		text := fmt.Sprintf("%s %.2f", part.Name, part.Value)
		if strings.HasPrefix(part.Name, "x ") {
			factors = append(factors, text)
		} else {
			sum = append(sum, text)
		}
	}
	return strings.Join(append([]string{fmt.Sprintf("%.2f = (%s)", hit.Score, strings.Join(sum, " + "))}, factors...), " ")
}

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
	record, err := memory.RecordOf(ctx, a.Store, p.Session)
	if errors.Is(err, memory.ErrNotFound) || err == nil && record.Session.Project != p.Project {
		return nil
	}
	if err != nil {
		return err
	}
	told, err := a.Store.Injections(ctx, p.Session, record.Session.StartedAt, answeredBy(record, p.At))
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
