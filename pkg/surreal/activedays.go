package surreal

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// firstUses keeps only the first use of a memory by a session: an existence check does
// not see the rows of its own transaction.
func firstUses(uses []memory.Use) []memory.Use {
	type occasion struct{ memory, session string }
	known := make(map[occasion]bool, len(uses))
	return slices.DeleteFunc(slices.Clone(uses), func(u memory.Use) bool {
		key := occasion{u.Memory, u.Session}
		defer func() { known[key] = true }()
		return known[key]
	})
}

func dayRow(d memory.ActiveDay) map[string]any {
	return map[string]any{"id": recordID("active_day", d.Project+"/"+d.Day), "project": d.Project, "day": d.Day}
}

func useRow(u memory.Use) map[string]any {
	return map[string]any{
		"id": recordID("used_in", u.Memory+"-"+u.Session), "in": recordID("memory", u.Memory),
		"out": recordID("session", u.Session), "how": u.How, "at": at(u.At),
	}
}

// ActiveDays implements storetest.Store.
func (s *Store) ActiveDays(ctx context.Context) (map[string][]string, error) {
	result, err := s.conn.ExecIdempotent(ctx, "SELECT project, array::group(day) AS days FROM active_day GROUP BY project", nil)
	if err != nil {
		return nil, fmt.Errorf("read the active days: %w", domain(err))
	}
	var found []struct {
		Project string   `json:"project"`
		Days    []string `json:"days"`
	}
	if err := result.Decode(0, &found); err != nil {
		return nil, fmt.Errorf("read the active days: %w", err)
	}
	days := make(map[string][]string, len(found))
	for _, one := range found {
		slices.Sort(one.Days)
		days[one.Project] = one.Days
	}
	return days, nil
}
