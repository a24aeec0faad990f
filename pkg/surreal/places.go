package surreal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const tokensSQL = `
SELECT scope, <int> math::sum(token_count) AS tokens FROM memory WHERE project = $project AND status = 'active' GROUP BY scope;`

// PlaceTokens implements storetest.Store.
func (s *Store) PlaceTokens(ctx context.Context, project string) (map[memory.Place]int, error) {
	result, err := s.conn.execIdempotent(ctx, tokensSQL, map[string]any{"project": project})
	if err != nil {
		return nil, fmt.Errorf("count the tokens of %q: %w", project, domain(err))
	}
	var sums []totalRecord
	if err := result.decode(0, &sums); err != nil {
		return nil, fmt.Errorf("count the tokens of %q: %w", project, err)
	}
	tokens := make(map[memory.Place]int, len(sums))
	for _, sum := range sums {
		tokens[memory.Place{Scope: memory.Scope(sum.Scope), Project: project}] = sum.Tokens
	}
	return tokens, nil
}

const totalsSQL = `
SELECT project, scope, status, count() AS rows, <int> math::sum(token_count) AS tokens FROM memory
	WHERE project = $project AND status = 'active' GROUP BY project, scope, status;
SELECT project, scope, status, count() AS rows FROM memory
	WHERE project = $project AND status = 'archived' GROUP BY project, scope, status;
SELECT project, scope, count() AS rows FROM memory WHERE retired_at > $since AND project = $project GROUP BY project, scope;`

type totalRecord struct {
	Project string `json:"project"`
	Scope   string `json:"scope"`
	Status  string `json:"status"`
	Rows    int    `json:"rows"`
	Tokens  int    `json:"tokens"`
}

// PlaceTotals implements storetest.Store.
func (s *Store) PlaceTotals(ctx context.Context, project string, since time.Time) ([]memory.PlaceTotal, error) {
	result, err := s.conn.execIdempotent(ctx, totalsSQL, map[string]any{"project": project, "since": at(since)})
	if err != nil {
		return nil, fmt.Errorf("sum up the places of %q: %w", project, domain(err))
	}
	var active, archived, retired []totalRecord
	if err := errors.Join(result.decode(0, &active), result.decode(1, &archived), result.decode(2, &retired)); err != nil {
		return nil, fmt.Errorf("sum up the places of %q: %w", project, err)
	}
	totals := map[memory.Place]*memory.PlaceTotal{}
	of := func(r totalRecord) *memory.PlaceTotal {
		place := memory.Place{Scope: memory.Scope(r.Scope), Project: r.Project}
		if totals[place] == nil {
			totals[place] = &memory.PlaceTotal{Place: place}
		}
		return totals[place]
	}
	for _, sum := range active {
		of(sum).Rows += sum.Rows
		of(sum).Tokens += sum.Tokens
	}
	for _, sum := range archived {
		of(sum).Rows += sum.Rows
	}
	for _, sum := range retired {
		of(sum).Retired += sum.Rows
	}
	all := make([]memory.PlaceTotal, 0, len(totals))
	for _, total := range totals {
		all = append(all, *total)
	}
	return all, nil
}

// InSight implements storetest.Store. Sessions are not counted.
func (s *Store) InSight(ctx context.Context, p memory.Place) ([]memory.Row, error) {
	rows, err := s.selectRows(ctx, "SELECT "+rowFields+" FROM memory WHERE project = $project AND status = 'active' AND scope = $scope",
		map[string]any{"project": p.Project, "scope": string(p.Scope)})
	if err != nil {
		return nil, fmt.Errorf("read the %s scope of %q: %w", p.Scope, p.Project, err)
	}
	return rows, nil
}
