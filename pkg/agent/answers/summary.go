package answers

import (
	"context"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// leastSessionID is how much of a session's id names it: a start shows twice as much.
const leastSessionID = 6

// summaryOf is a model's summary of the session with this id, or with an id that begins
// so, in the form of a memory: a start shows one line of it. memory.ErrNotFound if there
// is none.
func (a *Answers) summaryOf(ctx context.Context, project, id string) (memory.Memory, error) {
	missing := fmt.Errorf("a session %.60q of this project that a model summed up: %w", id, memory.ErrNotFound)
	if len(id) < leastSessionID {
		return memory.Memory{}, missing
	}
	found, err := memory.SessionsNamed(ctx, a.Store, project, id)
	if err != nil {
		return memory.Memory{}, err
	}
	if len(found) != 1 || found[0].Summary.Digest.Source != memory.SourceAssistant {
		return memory.Memory{}, missing
	}
	s := found[0]
	return memory.Memory{
		ID: s.ID, Project: s.Project, Session: s.ID, Kind: memory.KindTurn, Type: memory.TypeEpisodic, Scope: memory.ScopeProject,
		Status: memory.StatusActive, Source: memory.SourceAssistant, Tags: []string{memory.TagModel},
		Content: s.Summary.Digest.Request, Detail: s.Summary.Digest.Lines(), CreatedAt: s.StartedAt, LastSeenAt: s.LastEventAt,
	}, nil
}
