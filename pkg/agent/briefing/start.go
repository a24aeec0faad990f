package briefing

import (
	"context"
	"errors"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// SessionContext packs what a starting session is given. What was spooled before
// the session's own start is ingested first.
func (b *Briefing) SessionContext(ctx context.Context, p agentapi.SessionContextParams) (agentapi.ContextResult, error) {
	if b.Intake.WaitsFor(p.Before) {
		if err := b.Intake.EmptySpools(ctx); err != nil {
			// An older answer is better than none.
			b.Log.Warn("the spool could not be emptied before a session's start", "error", err)
		}
	}
	start, err := b.start(ctx, p.Project, p.Session)
	if err != nil {
		return agentapi.ContextResult{}, err
	}
	who := session.Conversation{Session: p.Session}
	if session.StartsAnew(p.Source) {
		b.Sessions.Forget(who)
	} else {
		known, err := b.Sessions.Shown(ctx, who)
		if err != nil {
			return agentapi.ContextResult{}, err
		}
		start = known.Without(start)
	}
	sections, record := recall.StartSections(start, b.Counter), memory.SessionRecord{}
	if p.Source == session.Compact {
		record, err = b.Store.SessionRecord(ctx, p.Session)
		if err != nil && !errors.Is(err, memory.ErrNotFound) {
			return agentapi.ContextResult{}, err
		}
		sections = recall.CompactSections(record, start, b.Counter)
	}
	packed := recall.PackSections(sections, p.TokenBudget, b.SafetyFactor, b.Counter)
	b.Sessions.Record(who, "session_start", memoryIDs(packed.IDs, start, record))
	return agentapi.ContextResult{
		Text: packed.Text, Tokens: packed.Tokens, Encoding: b.Counter.Encoding(), Items: len(packed.IDs),
	}, nil
}

// memoryIDs leaves out the items that are no memories.
func memoryIDs(ids []string, start memory.StartContext, record memory.SessionRecord) []string {
	known := map[string]bool{}
	for _, seen := range record.Seen {
		known[seen.Memory.ID] = true
	}
	for _, m := range slices.Concat(start.Todos, start.Conventions, start.Findings, start.Preferences) {
		known[m.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !known[id] })
}
