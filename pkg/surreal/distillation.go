package surreal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// enqueueSQL leaves alone the running jobs, and the waiting ones, unless they never
// failed and can be tried earlier now.
const enqueueSQL = `
FOR $row IN $rows {
	LET $old = SELECT state, tries, next_try FROM ONLY $row.id;
	IF $old.state = 'waiting' AND $old.tries = 0 AND $old.next_try > $row.next_try OR !(($old.state ?? '') IN ['waiting', 'running']) {
		UPSERT $row.id CONTENT $row RETURN NONE
	};
};`

// Enqueue implements storetest.Store.
func (s *Store) Enqueue(ctx context.Context, all []memory.Distillation) error {
	if len(all) == 0 {
		return nil
	}
	if _, err := s.conn.ExecIdempotent(ctx, enqueueSQL, map[string]any{"rows": rows(all, distillationRow)}); err != nil {
		return fmt.Errorf("queue %d sessions to be distilled: %w", len(all), domain(err))
	}
	return nil
}

const saveDistillationSQL = `
BEGIN;
IF array::is_empty(SELECT VALUE id FROM $lease.id
	WHERE holder = $lease.holder AND token = $lease.token AND expires_at > time::now()) { THROW '` + leaseLost + `' };
UPSERT $row.id CONTENT $row RETURN NONE;
COMMIT;`

// SaveDistillation implements storetest.Store.
func (s *Store) SaveDistillation(ctx context.Context, d memory.Distillation, lease memory.Lease) error {
	place, err := s.conn.Place(ctx)
	if err != nil {
		return fmt.Errorf("note where the distillation of session %s stands: %w", d.Session, domain(err))
	}
	_, err = s.conn.ExecIdempotent(ctx, saveDistillationSQL, map[string]any{
		"row": distillationRow(d), "lease": map[string]any{"id": recordID("lease", place+lease.Name), "holder": lease.Holder, "token": lease.Token},
	})
	var failed *wire.StatementError
	if errors.As(err, &failed) && strings.Contains(failed.Message, leaseLost) {
		return fmt.Errorf("note where the distillation of session %s stands: %w", d.Session, memory.ErrLeaseLost)
	}
	if err != nil {
		return fmt.Errorf("note where the distillation of session %s stands: %w", d.Session, domain(err))
	}
	return nil
}

// Distillations implements storetest.Store.
func (s *Store) Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	from, where := "distillation", "state IN $states"
	if q.Sessions != nil {
		from = "$ids" // the engine (3.0.2) reads the whole table for "id IN $ids"
	}
	if !q.Due.IsZero() {
		where += " AND next_try <= $due"
	}
	result, err := s.conn.ExecIdempotent(ctx,
		"SELECT record::id(id) AS session, state, trigger, tries, next_try, reason, notes, queued_at FROM "+from+" WHERE "+where+
			" ORDER BY next_try, session LIMIT $limit",
		map[string]any{"ids": recordIDs("distillation", q.Sessions), "states": texts(q.States), "due": at(q.Due), "limit": q.Limit})
	if err != nil {
		return nil, fmt.Errorf("read the sessions that wait to be distilled: %w", domain(err))
	}
	return decodeEach(result, 0, distillationRecord.distillation)
}

// SaveSpend implements storetest.Store.
func (s *Store) SaveSpend(ctx context.Context, spend memory.Spend) error {
	if _, err := s.conn.ExecIdempotent(ctx, "UPSERT $row.id CONTENT $row RETURN NONE", map[string]any{"row": spendRow(spend)}); err != nil {
		return fmt.Errorf("note the cost of a call of the model: %w", domain(err))
	}
	return nil
}

// Spent implements storetest.Store.
func (s *Store) Spent(ctx context.Context, q memory.SpendQuery) ([]memory.SpendTotal, error) {
	where := "day >= $day"
	if q.Session != "" {
		where += " AND session = $of"
	}
	result, err := s.conn.ExecIdempotent(ctx, spentSQL(where), map[string]any{
		"day": q.Since.UTC().Format(time.DateOnly), "of": q.Session,
	})
	if err != nil {
		return nil, fmt.Errorf("sum up the costs: %w", domain(err))
	}
	var totals []memory.SpendTotal
	if err := result.Decode(0, &totals); err != nil {
		return nil, fmt.Errorf("sum up the costs: %w", err)
	}
	return totals, nil
}

// spentSQL sums numbers only: a bool is counted as one.
func spentSQL(where string) string {
	return `SELECT day, job, count() AS calls, math::sum(failed) AS failed, math::sum(estimated) AS estimated,
	math::sum(input) AS input, math::sum(output) AS output, math::sum(usd) AS usd
	FROM (SELECT day, job, IF failed != '' { 1 } ELSE { 0 } AS failed, IF estimated { 1 } ELSE { 0 } AS estimated, input, output, usd
		FROM spend WHERE ` + where + `) GROUP BY day, job ORDER BY day, job`
}

func distillationRow(d memory.Distillation) map[string]any {
	return map[string]any{
		"id": recordID("distillation", d.Session), "state": string(d.State), "trigger": d.Trigger, "tries": d.Tries,
		"next_try": at(d.NextTry), "reason": d.Reason, "notes": append([]string{}, d.Notes...), "queued_at": at(d.QueuedAt),
	}
}

type distillationRecord struct {
	Session  string                `json:"session"`
	State    string                `json:"state"`
	Trigger  string                `json:"trigger"`
	Tries    int                   `json:"tries"`
	NextTry  models.CustomDateTime `json:"next_try"`
	Reason   string                `json:"reason"`
	Notes    []string              `json:"notes"`
	QueuedAt models.CustomDateTime `json:"queued_at"`
}

func (r distillationRecord) distillation() memory.Distillation {
	d := memory.Distillation{
		Session: r.Session, State: memory.DistillationState(r.State), Trigger: r.Trigger, Tries: r.Tries,
		NextTry: instant(r.NextTry), Reason: r.Reason, QueuedAt: instant(r.QueuedAt),
	}
	if len(r.Notes) > 0 {
		d.Notes = r.Notes
	}
	return d
}

func spendRow(s memory.Spend) map[string]any {
	return map[string]any{
		"id": recordID("spend", s.ID), "at": at(s.At), "day": s.At.UTC().Format(time.DateOnly), "session": s.Session, "job": s.Job,
		"runner": s.Runner, "model": s.Model, "input": s.Input, "output": s.Output, "usd": s.USD, "estimated": s.Estimated, "failed": s.Failed,
	}
}
