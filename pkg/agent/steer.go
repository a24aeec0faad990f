package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// What people and models ask for themselves, through the MCP server or the CLI.

// readyTime bounds how long a question waits for a store that is still being
// started or installed, so that callers who gave up do not pile up.
const readyTime = 20 * time.Second

// soon makes a handler that waits that long for the store.
func soon[P, R any](s *Service, f func(context.Context, P) (R, error)) func(context.Context, P) (R, error) {
	return func(ctx context.Context, params P) (R, error) {
		s.touch()
		waiting, cancel := context.WithTimeout(ctx, readyTime)
		err := s.ready(waiting)
		cancel()
		if err != nil {
			var none R
			return none, err
		}
		return f(ctx, params)
	}
}

// mostFound bounds the hits of one question.
const mostFound = 100

// Find ranks the memories that answer a question. Unlike Recall it does not leave
// out what the session was given: the question was asked on purpose.
func (a *Agent) Find(ctx context.Context, p agentapi.FindParams) ([]memory.Hit, error) {
	p.Limit = min(max(p.Limit, 1), mostFound)
	if p.Archived {
		return a.findArchived(ctx, p)
	}
	return a.findActive(ctx, p)
}

// Answer packs what Find finds into a budget. A memory that does not fit is
// passed over.
func (a *Agent) Answer(ctx context.Context, p agentapi.AnswerParams) (agentapi.Answer, error) {
	answer := agentapi.Answer{Encoding: a.Counter.Encoding(), Memories: []agentapi.Answered{}}
	hits, err := a.Find(ctx, p.FindParams)
	if err != nil {
		return answer, err
	}
	why, err := a.reasons(ctx, p, hits)
	if err != nil {
		return answer, err
	}
	budget := int(float64(p.TokenBudget) / a.Config.Tokens.SafetyFactor)
	answer.Left = len(hits)
	room := budget - a.tokensOf(answer)
	var given []string
	for _, hit := range hits {
		one := answered(hit.Memory)
		one.Why = why[hit.Memory.ID]
		if cost := a.Counter.Count(asJSON(one) + ","); cost <= room {
			room -= cost
			answer.Memories = append(answer.Memories, one)
			given = append(given, hit.Memory.ID)
		}
	}
	// What was packed by its parts is counted once more as a whole.
	for n := len(given); ; n-- {
		answer.Memories, given, answer.Left = answer.Memories[:n], given[:n], len(hits)-n
		if answer.Tokens = a.tokensOf(answer); answer.Tokens <= budget || n == 0 {
			break
		}
	}
	a.inject(listener{session: p.Session}, "mcp", given)
	a.recalled(p.Session, given, a.Now().UTC())
	return answer, nil
}

func answered(m memory.Memory) agentapi.Answered {
	line := strings.TrimSuffix(strings.TrimPrefix(recall.Line(m), "- "), "\n")
	return agentapi.Answered{
		Content: line, Date: m.LastSeenAt.UTC().Format(time.DateOnly), ID: memory.ShortID(m.ID), Kind: string(m.Kind),
	}
}

// tokensOf counts an answer as the client writes it, its own count included.
func (a *Agent) tokensOf(answer agentapi.Answer) int {
	answer.Tokens = 0
	for {
		tokens := a.Counter.Count(asJSON(answer))
		if tokens <= answer.Tokens {
			return answer.Tokens
		}
		answer.Tokens = tokens
	}
}

// asJSON writes what holds strings and numbers only, as JavaScript does.
func asJSON(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // such a value and a Builder never fail
	return strings.TrimSuffix(text.String(), "\n")
}

// findActive asks the index, which is quiet when nothing answers well. Who asks on
// purpose wants the weak hits then, too: those with any of the words.
func (a *Agent) findActive(ctx context.Context, p agentapi.FindParams) ([]memory.Hit, error) {
	index, err := a.index(ctx, p.Project)
	if err != nil {
		return nil, err
	}
	hits := []memory.Hit{}
	for _, hit := range index.Recall(a.findQuery(ctx, p)) {
		hits = append(hits, memory.Hit{Memory: a.counted(hit.Memory), Score: hit.Score})
	}
	if len(hits) > 0 {
		return hits, nil
	}
	weak, err := a.Store.Search(ctx, memory.SearchQuery{Project: p.Project, Text: p.Text, Limit: p.Limit})
	for _, hit := range weak {
		if len(p.Kinds) == 0 || slices.Contains(p.Kinds, hit.Memory.Kind) {
			hits = append(hits, memory.Hit{Memory: a.counted(hit.Memory), Score: hit.Score})
		}
	}
	return hits, err
}

func (a *Agent) findQuery(ctx context.Context, p agentapi.FindParams) recall.Query {
	return recall.Query{
		Text: p.Text, Session: p.Session, Now: a.Now(), Files: p.Files, Kinds: p.Kinds, Limit: p.Limit,
		Near: a.near(ctx, p.Project, p.Text),
	}
}

// counted gives a memory the tokens of its line by the encoding in use.
func (a *Agent) counted(m memory.Memory) memory.Memory {
	m.TokenCount, m.TokenEncoding = recall.MemoryItem(m, a.Counter).Tokens, a.Counter.Encoding()
	return m
}

// mostArchived bounds the archived memories that are looked through.
const mostArchived = 2000

// findArchived lists what was put away, those with the most words of the text
// first. There is no index of them: it is asked for seldom.
func (a *Agent) findArchived(ctx context.Context, p agentapi.FindParams) ([]memory.Hit, error) {
	filter := memory.Filter{Project: p.Project, Kinds: p.Kinds, Statuses: []memory.Status{memory.StatusArchived}, Limit: mostArchived}
	archived, err := a.Store.Memories(ctx, filter)
	if err != nil {
		return nil, err
	}
	filter.Project = "" // of all projects: a filter cannot ask for what is the user's
	all, err := a.Store.Memories(ctx, filter)
	if err != nil {
		return nil, err
	}
	users := slices.DeleteFunc(all, func(m memory.Memory) bool { return m.Project != "" })
	words := strings.Fields(strings.ToLower(p.Text))
	hits := []memory.Hit{}
	for _, m := range slices.Concat(archived, users) {
		text, score := strings.ToLower(m.Content+"\n"+m.Detail), 0.0
		for _, word := range words {
			if strings.Contains(text, word) {
				score++
			}
		}
		if score > 0 || len(words) == 0 {
			hits = append(hits, memory.Hit{Memory: a.counted(m), Score: score})
		}
	}
	slices.SortStableFunc(hits, func(x, y memory.Hit) int {
		if x.Score != y.Score {
			return int(y.Score - x.Score)
		}
		return y.Memory.LastSeenAt.Compare(x.Memory.LastSeenAt)
	})
	return hits[:min(p.Limit, len(hits))], nil
}

// Get returns the memories in the order of their ids.
func (a *Agent) Get(ctx context.Context, p agentapi.GetParams) ([]memory.Memory, error) {
	all := []memory.Memory{}
	for _, id := range p.IDs {
		m, err := a.own(ctx, p.Project, id)
		if errors.Is(err, memory.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, a.counted(m))
	}
	return all, nil
}

// belongs tells whether a project may see and change a memory.
func belongs(m memory.Memory, project string) bool { return m.Project == project || m.Project == "" }

// own returns the memory with that id, or the one whose id begins so, if the
// project may see it, or memory.ErrNotFound.
func (a *Agent) own(ctx context.Context, project, id string) (memory.Memory, error) {
	full, err := a.Store.ExpandID(ctx, id)
	if err != nil {
		return memory.Memory{}, err
	}
	m, err := a.Store.Memory(ctx, full)
	if err == nil && !belongs(m, project) {
		err = fmt.Errorf("memory %s of this project: %w", id, memory.ErrNotFound)
	}
	return m, err
}

// Around returns what is remembered around a memory or a time, the oldest first.
func (a *Agent) Around(ctx context.Context, p agentapi.AroundParams) ([]memory.Memory, error) {
	if p.ID != "" {
		m, err := a.own(ctx, p.Project, p.ID)
		if err != nil {
			return nil, err
		}
		p.At = m.LastSeenAt
	}
	found, err := a.Store.Around(ctx, memory.AroundQuery{Project: p.Project, At: p.At, Before: p.Before, After: p.After})
	if err != nil {
		return nil, err
	}
	all := []memory.Memory{}
	for _, m := range found {
		all = append(all, a.counted(m))
	}
	return all, nil
}

// Kept ingests what is spooled and returns what an event has become.
func (a *Agent) Kept(ctx context.Context, e memory.Event) (memory.Memory, error) {
	if err := e.Validate(); err != nil {
		return memory.Memory{}, err
	}
	if _, err := a.Ingest(ctx); err != nil {
		return memory.Memory{}, err
	}
	batch := ingest.Batch([]memory.Event{e}, a.Counter)
	if len(batch.Memories) == 0 {
		return memory.Memory{}, fmt.Errorf("an event of the kind %s is no memory: %w", e.Kind, memory.ErrInvalid)
	}
	m, err := a.Store.Memory(ctx, batch.Memories[0].ID)
	return a.counted(m), err
}

// Amend changes a memory and has recall see it.
func (a *Agent) Amend(ctx context.Context, p agentapi.AmendParams) (agentapi.AmendResult, error) {
	old, err := a.own(ctx, p.Project, p.ID)
	if err != nil {
		return agentapi.AmendResult{}, err
	}
	next, err := p.Change.Apply(old)
	if err != nil {
		return agentapi.AmendResult{}, err
	}
	p.Change.Count = memory.TokenCount{Tokens: a.Counter.Count(recall.Line(next)), Encoding: a.Counter.Encoding()}
	return a.amend(ctx, old.ID, p.Change)
}

func (a *Agent) amend(ctx context.Context, id string, c memory.Change) (agentapi.AmendResult, error) {
	before, after, err := a.Store.Amend(ctx, id, c)
	if err != nil {
		return agentapi.AmendResult{}, err
	}
	a.Log.Info("a memory was changed", "memory", id, "by", c.By, "now", after.ID, "status", after.Status)
	a.restock(ctx, []memory.Memory{before, after}, nil)
	return agentapi.AmendResult{Before: before, After: after}, a.refresh(ctx, []memory.Memory{before, after})
}

// revive brings back what somebody asked to be kept once more after it had been
// put away.
func (a *Agent) revive(ctx context.Context, written []memory.Memory) error {
	var ids []string
	for _, m := range written {
		if m.Kind.Told() {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := a.Store.Rows(ctx, ids)
	if err != nil {
		return err
	}
	for _, row := range found {
		m := row.Memory
		if m.Status != memory.StatusArchived {
			continue
		}
		now := a.Now().UTC()
		back := memory.Change{ID: memory.NewEventID(now), At: now, By: "ingest", Reason: "asked for again", Status: memory.StatusActive}
		if _, _, err := a.Store.Amend(ctx, m.ID, back); err != nil {
			return err
		}
	}
	return nil
}
