package surreal

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Distillations implements storetest.Store.
func (s *Store) Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error) {
	from := "distillation"
	if q.Sessions != nil {
		from = "$ids" // the engine (3.0.2) reads the whole table for "id IN $ids"
	}
	return list(ctx, s, distillationCodec, "read the sessions that wait to be distilled",
		"SELECT "+distillationCodec.all+" FROM "+from+" WHERE state IN $states ORDER BY next_try, id LIMIT $limit",
		map[string]any{"ids": recordIDs("distillation", q.Sessions), "states": q.States, "limit": most(q.Limit)})
}
