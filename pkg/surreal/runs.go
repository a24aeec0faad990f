package surreal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

const runFields = `record::id(id) AS id, job, trigger, started_at, ended_at, examined, changed, tokens_freed, error, notes`

func runRow(r memory.Run) map[string]any {
	return map[string]any{
		"id": recordID("maintenance_run", r.ID), "job": r.Job, "trigger": r.Trigger, "started_at": at(r.StartedAt),
		"ended_at": at(r.EndedAt), "examined": r.Examined, "changed": r.Changed, "tokens_freed": r.TokensFreed,
		"error": r.Error, "notes": append([]string{}, r.Notes...),
	}
}

type runRecord struct {
	ID          string                `json:"id"`
	Job         string                `json:"job"`
	Trigger     string                `json:"trigger"`
	StartedAt   models.CustomDateTime `json:"started_at"`
	EndedAt     models.CustomDateTime `json:"ended_at"`
	Examined    int                   `json:"examined"`
	Changed     int                   `json:"changed"`
	TokensFreed int                   `json:"tokens_freed"`
	Error       string                `json:"error"`
	Notes       []string              `json:"notes"`
}

func (r runRecord) run() memory.Run {
	run := memory.Run{
		ID: r.ID, Job: r.Job, Trigger: r.Trigger, StartedAt: instant(r.StartedAt), EndedAt: instant(r.EndedAt),
		Examined: r.Examined, Changed: r.Changed, TokensFreed: r.TokensFreed, Error: r.Error,
	}
	if len(r.Notes) > 0 {
		run.Notes = r.Notes
	}
	return run
}

const runSQL = `
SELECT ` + runFields + ` FROM $range LIMIT 2;
SELECT record::id(id) AS id, record::id(memory) AS memory, kind, reason, before, after FROM maintenance_action
	WHERE run = (SELECT VALUE id FROM $range LIMIT 1)[0] ORDER BY id;`

// Run implements storetest.Store.
func (s *Store) Run(ctx context.Context, id string) (memory.Run, error) {
	result, err := s.conn.ExecIdempotent(ctx, runSQL, map[string]any{"range": beginningWith("maintenance_run", id)})
	if err != nil {
		return memory.Run{}, fmt.Errorf("read run %s: %w", id, domain(err))
	}
	var runs []runRecord
	var actions []actionRecord
	if err := errors.Join(result.Decode(0, &runs), result.Decode(1, &actions)); err != nil {
		return memory.Run{}, fmt.Errorf("read run %s: %w", id, err)
	}
	switch {
	case len(runs) == 0:
		return memory.Run{}, fmt.Errorf("run %s: %w", id, memory.ErrNotFound)
	case len(runs) > 1 && runs[0].ID != id:
		return memory.Run{}, fmt.Errorf("several runs begin with %s, give more of the id: %w", id, memory.ErrInvalid)
	}
	run := runs[0].run()
	for _, record := range actions {
		action, err := record.action()
		if err != nil {
			return run, fmt.Errorf("read action %s: %w", record.ID, err)
		}
		run.Actions = append(run.Actions, action)
	}
	return run, nil
}

// beginningWith is the range of the ids of a table that begin alike.
func beginningWith(table, beginning string) models.RecordID {
	return models.RecordID{Table: table, ID: &models.Range[string, models.BoundIncluded[string], models.BoundExcluded[string]]{
		Begin: &models.BoundIncluded[string]{Value: beginning},
		End:   &models.BoundExcluded[string]{Value: beginning + "\U0010ffff"},
	}}
}

// Job implements storetest.Store.
func (s *Store) Job(ctx context.Context, job string) (memory.JobState, error) {
	state := memory.JobState{Job: job}
	place, err := s.conn.Place(ctx)
	if err != nil {
		return state, fmt.Errorf("read where job %s stands: %w", job, domain(err))
	}
	result, err := s.conn.ExecIdempotent(ctx, "SELECT cursor, slot FROM $job", map[string]any{"job": recordID("maintenance_job", place+job)})
	if err != nil {
		return state, fmt.Errorf("read where job %s stands: %w", job, domain(err))
	}
	var found []struct {
		Cursor int64                 `json:"cursor"`
		Slot   models.CustomDateTime `json:"slot"`
	}
	if err := result.Decode(0, &found); err != nil {
		return state, fmt.Errorf("read where job %s stands: %w", job, err)
	}
	if len(found) > 0 {
		state.Cursor, state.Slot = memory.ChangeCursor(found[0].Cursor), instant(found[0].Slot)
	}
	return state, nil
}

// Interrupted implements storetest.Store.
func (s *Store) Interrupted(ctx context.Context) ([]memory.Run, error) {
	result, err := s.conn.ExecIdempotent(ctx, "SELECT "+runFields+" FROM maintenance_run WHERE ended_at = $never",
		map[string]any{"never": at(time.Time{})})
	if err != nil {
		return nil, fmt.Errorf("find interrupted runs: %w", domain(err))
	}
	return decodeRuns(result, 0)
}

func decodeRuns(result wire.Results, i int) ([]memory.Run, error) {
	runs, err := decodeEach(result, i, runRecord.run)
	return append([]memory.Run{}, runs...), err // "[]" as JSON if there are none
}
