package distiller

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// session is a session while it is distilled.
type session struct {
	*Distiller
	row    memory.Distillation
	lease  memory.Lease
	record memory.SessionRecord

	digest  memory.Digest
	facts   []daemonapi.DistillFact
	dropped []string

	replaced []receipts.Receipt // receipts for the user from the run that is being made
}

// newRun returns a run for this session, without actions.
func (s *session) newRun() memory.Run {
	now := s.Now().UTC()
	return memory.Run{ID: memory.NewEventID(now), Job: "distill", Trigger: s.row.Trigger, StartedAt: now, EndedAt: now}
}

// commit stores a run if it has actions, applies them, and adds their receipts for the user.
func (s *session) commit(ctx context.Context, run memory.Run) error {
	if len(run.Actions) == 0 {
		return nil
	}
	ids := memory.Each(run.Actions, func(a memory.Action) string { return a.Memory })
	if _, err := s.Store.Commit(ctx, memory.Commit{Run: run, Lease: &s.lease}); err != nil {
		return err
	}
	s.Changed(ctx, ids)
	for i := range s.replaced {
		s.replaced[i].Run = run.ID
	}
	err := s.Receipts.Add(s.replaced...)
	s.replaced = nil
	return err
}
