package surreal

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Distillations implements storetest.Store.
func (s *Store) Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error) {
	q.Limit = most(q.Limit)
	from, where := "distillation", "state IN $states"
	if q.Sessions != nil {
		from = "$ids" // the engine (3.0.2) reads the whole table for "id IN $ids"
	}
	if !q.Due.IsZero() {
		where += " AND next_try <= $due"
	}
	return list(ctx, s, distillationCodec, "read the sessions that wait to be distilled",
		"SELECT "+distillationCodec.fields()+" FROM "+from+" WHERE "+where+" ORDER BY next_try, id LIMIT $limit",
		map[string]any{"ids": recordIDs("distillation", q.Sessions), "states": texts(q.States), "due": at(q.Due), "limit": q.Limit})
}

// Spent implements storetest.Store.
func (s *Store) Spent(ctx context.Context, q memory.SpendQuery) ([]memory.SpendTotal, error) {
	where := "day >= $day"
	if q.Session != "" {
		where += " AND session = $of"
	}
	return value[[]memory.SpendTotal](ctx, s, "sum up the costs", spentSQL(where), map[string]any{
		"day": q.Since.UTC().Format(time.DateOnly), "of": q.Session,
	})
}

// spentSQL sums numbers only, and counts booleans as one.
func spentSQL(where string) string {
	return `SELECT day, job, count() AS calls, math::sum(failed) AS failed, math::sum(estimated) AS estimated,
	math::sum(input) AS input, math::sum(output) AS output, math::sum(usd) AS usd
	FROM (SELECT day, job, IF error != '' { 1 } ELSE { 0 } AS failed, IF estimated { 1 } ELSE { 0 } AS estimated, input, output, usd
		FROM spend WHERE ` + where + `) GROUP BY day, job ORDER BY day, job`
}
