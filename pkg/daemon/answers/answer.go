package answers

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// fitting is the least share of a question's topic words, weighted by rarity, that a memory must have to fit the
// question. On testdata/recall/coding, the answer is among the ten best memories for 187 of 220 questions, and 47 of
// 200 unrelated prompts have a memory that fits.
const fitting = 0.3

// Answer returns the memories of Find that fit the question, or the single nearest memory if none fits, with the
// nearest sessions (see withPast). It skips memories that exceed the remaining budget, and records the returned ones
// as shown to the session.
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
