package surreal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const tokensSQL = `
SELECT scope, <int> math::sum(token_count) AS tokens FROM memory WHERE project = $project AND status = 'active' GROUP BY scope;`

// BudgetTokens implements storetest.Store.
func (s *Store) BudgetTokens(ctx context.Context, project string) (map[memory.BudgetScope]int, error) {
	result, err := s.conn.ExecIdempotent(ctx, tokensSQL, map[string]any{"project": project})
	if err != nil {
		return nil, fmt.Errorf("count the tokens of %q: %w", project, domain(err))
	}
	var sums []totalRecord
	if err := result.Decode(0, &sums); err != nil {
		return nil, fmt.Errorf("count the tokens of %q: %w", project, err)
	}
	tokens := make(map[memory.BudgetScope]int, len(sums))
	for _, sum := range sums {
		tokens[memory.BudgetScope{Scope: memory.Scope(sum.Scope), Project: project}] = sum.Tokens
	}
	return tokens, nil
}

const totalsSQL = `
SELECT project, scope, status, count() AS rows, <int> math::sum(token_count) AS tokens FROM memory
	WHERE project = $project AND status = 'active' GROUP BY project, scope, status;
SELECT project, scope, status, count() AS rows FROM memory
	WHERE project = $project AND status = 'archived' GROUP BY project, scope, status;
LET $from = <string> (9999999999 - time::unix($since) + 1);
SELECT project, scope, count() AS rows FROM memory
	WHERE project = $project AND status = 'archived' AND page_order < $from AND retired_at > $since GROUP BY project, scope;
SELECT project, scope, count() AS rows FROM memory
	WHERE project = $project AND status = 'forgotten' AND page_order < $from AND retired_at > $since GROUP BY project, scope;`

type totalRecord struct {
	Project string `json:"project"`
	Scope   string `json:"scope"`
	Status  string `json:"status"`
	Rows    int    `json:"rows"`
	Tokens  int    `json:"tokens"`
}

// BudgetTotals implements storetest.Store.
func (s *Store) BudgetTotals(ctx context.Context, project string, since time.Time) ([]memory.BudgetTotal, error) {
	result, err := s.conn.ExecIdempotent(ctx, totalsSQL, map[string]any{"project": project, "since": at(since)})
	if err != nil {
		return nil, fmt.Errorf("sum up the budget scopes of %q: %w", project, domain(err))
	}
	var active, archived, retired, forgotten []totalRecord
	if err := errors.Join(result.Decode(0, &active), result.Decode(1, &archived), result.Decode(3, &retired), result.Decode(4, &forgotten)); err != nil {
		return nil, fmt.Errorf("sum up the budget scopes of %q: %w", project, err)
	}
	totals := map[memory.BudgetScope]*memory.BudgetTotal{}
	of := func(r totalRecord) *memory.BudgetTotal {
		scope := memory.BudgetScope{Scope: memory.Scope(r.Scope), Project: r.Project}
		if totals[scope] == nil {
			totals[scope] = &memory.BudgetTotal{BudgetScope: scope}
		}
		return totals[scope]
	}
	for _, sum := range active {
		of(sum).Rows += sum.Rows
		of(sum).Tokens += sum.Tokens
	}
	for _, sum := range archived {
		of(sum).Rows += sum.Rows
	}
	for _, sum := range append(retired, forgotten...) {
		of(sum).Retired += sum.Rows
	}
	all := make([]memory.BudgetTotal, 0, len(totals))
	for _, total := range totals {
		all = append(all, *total)
	}
	return all, nil
}

// inSightIDsSQL has no condition on the scope: an index serves it alone, and the engine reads
// no row.
const inSightIDsSQL = "SELECT VALUE record::id(id) FROM memory WHERE project = $project AND status = 'active'"

// inSightPage is how many rows InSight reads at once: all of a large project in one answer
// would take the engine gigabytes.
const inSightPage = 1000

// InSight implements storetest.Store. Sessions are not counted.
func (s *Store) InSight(ctx context.Context, p memory.BudgetScope) ([]memory.Row, error) {
	rows, err := s.inSight(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("read the %s scope of %q: %w", p.Scope, p.Project, err)
	}
	return rows, nil
}

func (s *Store) inSight(ctx context.Context, p memory.BudgetScope) ([]memory.Row, error) {
	result, err := s.conn.ExecIdempotent(ctx, inSightIDsSQL, map[string]any{"project": p.Project})
	if err != nil {
		return nil, domain(err)
	}
	var ids []string
	if err := result.Decode(0, &ids); err != nil {
		return nil, err
	}
	var all []memory.Row
	for page := range slices.Chunk(ids, inSightPage) { // one may have changed since
		rows, err := s.selectRows(ctx, "SELECT "+budgetFields+" FROM $ids WHERE id != NONE AND project = $project AND status = 'active' AND scope = $scope",
			map[string]any{"ids": memoryIDs(page), "project": p.Project, "scope": string(p.Scope)})
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}
