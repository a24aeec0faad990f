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
	start, err := a.start(ctx, p.Project, p.Session)
	if err != nil {
		return agentapi.ContextResult{}, err
	}
	who := listener{session: p.Session}
	if isNew(p.Source) {
		a.forgetGiven(who)
	} else {
		known, err := a.given(ctx, who)
		if err != nil {
			return agentapi.ContextResult{}, err
		}
		start = known.without(start)
	}
	sections, activity := recall.StartSections(start, a.Counter), memory.Activity{}
	if p.Source == compacted {
		activity, err = a.Store.Activity(ctx, p.Session)
		if err != nil && !errors.Is(err, memory.ErrNotFound) {
			return agentapi.ContextResult{}, err
		}
		sections = recall.CompactSections(activity, start, a.Counter)
	}
	packed := recall.PackSections(sections, p.TokenBudget, a.Config.Tokens.SafetyFactor, a.Counter)
	a.inject(who, "session_start", memoryIDs(packed.IDs, start, activity))
	return agentapi.ContextResult{
		Text: packed.Text, Tokens: packed.Tokens, Encoding: a.Counter.Encoding(), Items: len(packed.IDs),
	}, nil
}

// compacted is the source of a start after which what the session was given is
// gone.
const compacted = "compact"

// isNew tells a start of a session that knows nothing. One that is resumed has
// what it was given in its transcript, which goes on.
func isNew(source string) bool {
	switch source {
	case "startup", "clear", "fork", compacted:
		return true
	}
	return false
}

// memoryIDs leaves out the items that are no memories.
func memoryIDs(ids []string, start memory.StartContext, activity memory.Activity) []string {
	known := map[string]bool{}
	for _, seen := range activity.Seen {
		known[seen.Memory.ID] = true
	}
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
