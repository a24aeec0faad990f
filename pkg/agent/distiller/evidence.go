package distiller

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ActionEvidence is the kind of the actions by which a model's facts take the place of
// the log.
const ActionEvidence = "evidence"

// takePlace makes evidence of the memories that rules derived from a session that has been distilled:
// the model's facts are injected in their place. Memories that a person asked for, and those of
// sessions that were not distilled, are still injected. It is a run that can be undone.
func (s *session) takePlace(ctx context.Context) error {
	if !s.record.Session.State.Over() {
		return nil
	}
	record, err := memory.RecordOf(ctx, s.Store, s.row.Session) // with the conclusions made meanwhile
	if err != nil {
		return err
	}
	var ids []string
	for _, seen := range record.Seen {
		if seen.Memory.Status == memory.StatusActive && !slices.Contains(ids, seen.Memory.ID) {
			ids = append(ids, seen.Memory.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := s.Store.Rows(ctx, memory.WithIDs(ids))
	if err != nil {
		return err
	}
	run := s.newRun()
	for _, row := range rows {
		is, err := s.isEvidence(ctx, row)
		if err != nil {
			return err
		}
		if !is {
			continue
		}
		after := row.State()
		after.Status = memory.StatusEvidence
		run.Actions = append(run.Actions, memory.Action{
			Memory: row.Memory.ID, Kind: ActionEvidence,
			Reason: fmt.Sprintf("a model has distilled session %s: its facts replace the memories that rules derived from it", memory.ShortID(s.row.Session)),
			Before: row.State(), After: after, Cursor: row.Cursor,
		})
	}
	run.Examined = len(rows)
	return s.commit(ctx, run)
}

// isEvidence reports whether a row rests on distilled sessions alone, and nobody asked to keep it.
func (s *session) isEvidence(ctx context.Context, row memory.Row) (bool, error) {
	m := row.Memory
	if !isOfRules(row) {
		return false, nil
	}
	if row.Sessions <= 1 && m.Session == s.row.Session {
		return !m.LastSeenAt.After(s.record.Session.LastEventAt), nil
	}
	history, err := s.Store.History(ctx, m.ID)
	if err != nil {
		return false, err
	}
	sessions := map[string]bool{s.row.Session: true}
	others := []string{} // and not nil, which would be all
	for _, seen := range history.Seen {
		if seen.Session == s.row.Session && seen.At.After(s.record.Session.LastEventAt) {
			return false, nil // newer than the answer
		}
		if !sessions[seen.Session] {
			sessions[seen.Session], others = true, append(others, seen.Session)
		}
	}
	if len(sessions) < row.Sessions { // one that was merged into it was seen elsewhere
		return false, nil
	}
	return s.areDistilled(ctx, others)
}

// areDistilled reports whether sessions are over and a model has answered for all parts of each.
func (s *session) areDistilled(ctx context.Context, ids []string) (bool, error) {
	sessions, err := s.Store.Sessions(ctx, memory.SessionIDs(ids))
	if err != nil {
		return false, err
	}
	over := 0
	for _, one := range sessions {
		if one.State.Over() {
			over++
		}
	}
	done, err := s.Store.Distillations(ctx, memory.DistillationQuery{
		States: []memory.DistillationState{memory.DistillationDone}, Sessions: ids, Limit: len(ids) + 1,
	})
	done = slices.DeleteFunc(done, func(d memory.Distillation) bool { return d.Reason != "" }) // it reached a limit
	return over == len(ids) && len(done) == len(ids), err
}

// isOfRules reports whether rules derived a row from a session: a guessed statement, a card, a
// conclusion, a finished task or a lesson.
func isOfRules(row memory.Row) bool {
	m := row.Memory
	if m.IsFact() || m.Pinned || row.UserWritten || row.Exempt {
		return false
	}
	switch m.Kind {
	case memory.KindTurn, memory.KindTask, memory.KindFix:
		return true
	case memory.KindDiscovery:
		return m.IsConclusion()
	default:
		return m.Kind.UserAuthored() && m.Source == memory.SourceUser
	}
}
