package surreal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

var (
	runsSQL = "SELECT " + runCodec.all + " FROM maintenance_run ORDER BY started_at DESC LIMIT $limit"
	openSQL = "SELECT " + runCodec.all + " FROM maintenance_run WHERE ended_at = $never"
	runSQL  = "SELECT " + runCodec.all + " FROM $range LIMIT 2"
)

func (s *Store) Runs(ctx context.Context, q memory.RunQuery) ([]memory.Run, error) {
	sql, vars := runsSQL, map[string]any{
		"limit": most(q.Limit), "never": at(time.Time{}),
		"range": beginningWith("maintenance_run", q.ID),
	}
	switch {
	case q.ID != "":
		sql = runSQL
	case q.Open:
		sql = openSQL
	}
	runs, err := list(ctx, s, runCodec, "read maintenance runs", sql, vars)
	if len(runs) > 0 && runs[0].ID == q.ID {
		runs = runs[:1] // the second run's ID only begins with q.ID
	}
	if err == nil && q.ID != "" && len(runs) == 1 {
		runs[0].Actions, err = s.actions(ctx, runs[0].ID)
	}
	return append([]memory.Run{}, runs...), err // encodes an empty list as [] in JSON
}

const actionsSQL = `
SELECT record::id(id) AS id, record::id(memory) AS memory, kind, reason, before, after FROM maintenance_action WHERE run = $run ORDER BY id;`

func (s *Store) actions(ctx context.Context, run string) (actions []memory.Action, err error) {
	purpose := "read the actions of run " + run
	records, err := value[[]map[string]any](ctx, s, 0, purpose, actionsSQL, map[string]any{"run": recordID("maintenance_run", run)})
	if err != nil || len(records) == 0 {
		return nil, err
	}
	text, err := json.Marshal(records) // before and after have the fields of a JSON object; see actionRow
	if err == nil {
		err = json.Unmarshal(text, &actions)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", purpose, err)
	}
	return actions, err
}

func (s *Store) Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error) {
	from := "distillation"
	if q.Sessions != nil {
		from = "$ids" // the engine (3.0.2) reads the whole table for "id IN $ids"
	}
	return list(ctx, s, distillationCodec, "read the sessions that wait to be distilled",
		"SELECT "+distillationCodec.all+" FROM "+from+" WHERE state IN $states ORDER BY next_try, id LIMIT $limit",
		map[string]any{"ids": recordIDs("distillation", q.Sessions), "states": q.States, "limit": most(q.Limit)})
}
