package briefing

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
)

// Answer packs the result of Find into a budget. A memory that does not fit is skipped.
func (b *Briefing) Answer(ctx context.Context, p agentapi.AnswerParams) (agentapi.Answer, error) {
	answer := agentapi.Answer{Memories: []agentapi.Answered{}}
	hits, err := b.Find(ctx, p.FindParams)
	if err != nil {
		return answer, err
	}
	b.lookAtHits(ctx, p.Root, hits)
	why, err := b.reasons(ctx, p, hits)
	if err != nil {
		return answer, err
	}
	budget := int(float64(p.TokenBudget) / b.SafetyFactor)
	answer.Left = len(hits)
	if len(hits) > 0 {
		answer.Note = memory.Preamble
	}
	room := budget - b.tokensOf(answer)
	var given []string
	for _, hit := range hits {
		one := answered(hit.Memory)
		one.Why = why[hit.Memory.ID]
		if cost := b.Counter.Count(asJSON(one) + ","); cost <= room {
			room -= cost
			answer.Memories = append(answer.Memories, one)
			given = append(given, hit.Memory.ID)
		}
	}
	// The whole may have more tokens than the sum of its parts.
	for n := len(given); ; n-- {
		answer.Memories, given, answer.Left = answer.Memories[:n], given[:n], len(hits)-n
		if answer.Tokens = b.tokensOf(answer); answer.Tokens <= budget || n == 0 {
			break
		}
	}
	b.Sessions.Record(session.Conversation{Session: p.Session}, "mcp", given)
	b.Sessions.Recalled(p.Session, given, b.Now().UTC())
	return answer, nil
}

// lookAtHits says of the memories of hits what has become of their files.
func (b *Briefing) lookAtHits(ctx context.Context, root string, hits []memory.Hit) {
	found := make([]memory.Memory, len(hits))
	for i, hit := range hits {
		found[i] = hit.Memory
	}
	b.look(ctx, root, &found)
	for i := range hits {
		hits[i].Memory = found[i]
	}
}

// since is what has become of the files of a memory, for an answer.
func since(m memory.Memory) string {
	if m.FileChange == "" {
		return ""
	}
	return string(m.FileChange) + " since"
}

func answered(m memory.Memory) agentapi.Answered {
	status := ""
	if m.Status != memory.StatusActive {
		status = string(m.Status)
	}
	return agentapi.Answered{
		Status: status, Content: render.Words(m), Files: since(m), Source: cmp.Or(string(m.Source), "unknown"), Date: m.LastSeenAt.UTC().Format(time.DateOnly), ID: memory.ShortID(m.ID), Kind: string(m.Kind),
	}
}

// tokensOf counts an answer as the client serialises it, including the count itself.
func (b *Briefing) tokensOf(answer agentapi.Answer) int {
	answer.Tokens = 0
	for {
		tokens := b.Counter.Count(asJSON(answer))
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
