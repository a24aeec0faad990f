package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// startRows bounds each section of a session's start: more than fit into any
// budget that the client accepts.
const startRows = 200

// SessionContext packs what a starting session is given. What was spooled before
// the session's own start is ingested first.
func (a *Agent) SessionContext(ctx context.Context, p agentapi.SessionContextParams) (agentapi.ContextResult, error) {
	if a.spooledBefore(p.Before) {
		if _, err := a.Ingest(ctx); err != nil {
			// An older answer is better than none.
			a.Log.Warn("the spool could not be emptied before a session's start", "error", err)
		}
	}
	start, err := a.Store.StartContext(ctx, memory.StartQuery{Project: p.Project, Session: p.Session, Limit: startRows})
	if err != nil {
		return agentapi.ContextResult{}, err
	}
	sections := recall.StartSections(start, a.Counter)
	if p.Source == compacted {
		a.forgetGiven(p.Session)
		activity, err := a.Store.Activity(ctx, p.Session)
		if err != nil && !errors.Is(err, memory.ErrNotFound) {
			return agentapi.ContextResult{}, err
		}
		sections = recall.CompactSections(activity, start, a.Counter)
	}
	packed := recall.PackSections(sections, p.TokenBudget, a.Config.Tokens.SafetyFactor, a.Counter)
	a.inject(p.Session, "session_start", memoryIDs(packed.IDs, start))
	return agentapi.ContextResult{
		Text: packed.Text, Tokens: packed.Tokens, Encoding: a.Counter.Encoding(), Items: len(packed.IDs),
	}, nil
}

// compacted is the source of a session start that follows a compaction.
const compacted = "compact"

// memoryIDs leaves out the items that are no memories.
func memoryIDs(ids []string, start memory.StartContext) []string {
	known := map[string]bool{}
	for _, m := range slices.Concat(start.Todos, start.Conventions, start.Preferences) {
		known[m.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !known[id] })
}

// spooledBefore tells whether events older than the given id wait.
func (a *Agent) spooledBefore(id string) bool {
	for _, s := range a.Spools {
		if oldest := s.Oldest(); oldest != "" && (id == "" || oldest < id) {
			return true
		}
	}
	return false
}
