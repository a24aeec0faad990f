package surreal

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

func (s *Store) Totals(ctx context.Context, q memory.TotalsQuery) (totals memory.Totals, err error) {
	switch q := q.(type) {
	case memory.Counts:
		totals.Stats, err = s.counts(ctx, string(q))
	case memory.ActiveDays:
		totals.Days, err = s.days(ctx)
	case memory.SpendQuery:
		totals.Spent, err = s.spent(ctx, q)
	default:
		panic(fmt.Sprintf("there is no query of the type %T", q))
	}
	return totals, err
}

const statsSQL = `RETURN {
	memories: (SELECT count() FROM memory GROUP ALL)[0].count ?? 0,
	sessions: (SELECT count() FROM session GROUP ALL)[0].count ?? 0,
	prompts: (SELECT count() FROM prompt GROUP ALL)[0].count ?? 0,
	projects: (SELECT count() FROM project GROUP ALL)[0].count ?? 0,
	sightings: (SELECT count() FROM seen_in GROUP ALL)[0].count ?? 0,
	session_events: (SELECT count() FROM event GROUP ALL)[0].count ?? 0,
	runs: (SELECT count() FROM maintenance_run GROUP ALL)[0].count ?? 0
}`

// countSQL uses indexes that begin with the project or the session.
const (
	countSQL = `
LET $sessions = ` + sessionsOfSQL + `;
RETURN {
	memories: (` + memoriesOfSQL + `)[0].count ?? 0,
	sessions: array::len($sessions),
	prompts: math::sum($sessions.map(|$s| count(` + sessionPromptsSQL + `)))
}`
	memoriesOfSQL = "SELECT count() FROM memory WHERE project = $project GROUP ALL"
	sessionsOfSQL = "SELECT VALUE id FROM session WHERE project = $project"
)

// counts returns the number of rows of a project, or of the whole store for "".
func (s *Store) counts(ctx context.Context, project string) (memory.Stats, error) {
	sql, purpose := countSQL, "count the rows of project "+project
	if project == "" {
		sql, purpose = statsSQL, "count the store"
	}
	return value[memory.Stats](ctx, s, wire.PageTime, purpose, sql, map[string]any{"project": project})
}

func (s *Store) days(ctx context.Context) (map[string][]string, error) {
	found, err := value[[]struct {
		Project string   `json:"project"`
		Days    []string `json:"days"`
	}](ctx, s, 0, "read the active days", "SELECT project, array::group(day) AS days FROM active_day GROUP BY project", nil)
	days := make(map[string][]string, len(found))
	for _, one := range found {
		slices.Sort(one.Days)
		days[one.Project] = one.Days
	}
	return days, err
}

// spent adds up the costs of each day. It counts booleans as 0 or 1.
func (s *Store) spent(ctx context.Context, q memory.SpendQuery) ([]memory.SpendTotal, error) {
	where := "day >= $day"
	if q.Session != "" {
		where += " AND session = $of"
	}
	return value[[]memory.SpendTotal](ctx, s, 0, "sum up the costs", `SELECT day, count() AS calls, math::sum(failed) AS failed,
	math::sum(estimated) AS estimated, math::sum(input) AS input, math::sum(output) AS output, math::sum(usd) AS usd
	FROM (SELECT day, IF error != '' { 1 } ELSE { 0 } AS failed, IF estimated { 1 } ELSE { 0 } AS estimated, input, output, usd
		FROM spend WHERE `+where+`) GROUP BY day ORDER BY day`,
		map[string]any{"day": q.Since.UTC().Format(time.DateOnly), "of": q.Session})
}
