package surreal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

var (
	runsSQL = "SELECT " + runFields + " FROM maintenance_run ORDER BY started_at DESC LIMIT $limit"
	openSQL = "SELECT " + runFields + " FROM maintenance_run WHERE ended_at = $never"
	runSQL  = "SELECT " + runFields + " FROM $range LIMIT 2"
)

// Runs implements storetest.Store.
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

// actions returns the actions of a run in their order.
func (s *Store) actions(ctx context.Context, run string) ([]memory.Action, error) {
	records, err := value[[]actionRecord](ctx, s, "read the actions of run "+run, actionsSQL,
		map[string]any{"run": recordID("maintenance_run", run)})
	if err != nil {
		return nil, err
	}
	var actions []memory.Action
	for _, record := range records {
		action, err := record.action()
		if err != nil {
			return nil, fmt.Errorf("read action %s: %w", record.ID, err)
		}
		actions = append(actions, action)
	}
	return actions, nil
}

type actionRecord struct {
	ID     string         `json:"id"`
	Memory string         `json:"memory"`
	Kind   string         `json:"kind"`
	Reason string         `json:"reason"`
	Before map[string]any `json:"before"`
	After  map[string]any `json:"after"`
}

func (r actionRecord) action() (memory.Action, error) {
	a := memory.Action{ID: r.ID, Memory: r.Memory, Kind: r.Kind, Reason: r.Reason}
	return a, errors.Join(fromObject(r.Before, &a.Before), fromObject(r.After, &a.After))
}

func fromObject(object map[string]any, into any) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
