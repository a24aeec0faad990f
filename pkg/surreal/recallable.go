package surreal

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// recallableIDsSQL reads the ids of the rows that recall may return, a statement for each
// kind and owner: for a list of kinds the engine (3.0.2) would read all rows. The kinds
// that are evidence, most rows of a project, are not read at all.
var (
	recallableIDsSQL = recallableIDs("$project") + recallableIDs("''")
	// ownRecallableIDsSQL adds the rows that a person has of a shared project alone.
	ownRecallableIDsSQL = recallableIDsSQL + recallableIDs("$private")
)

func recallableIDs(owner string) (sql string) {
	for _, kind := range memory.SearchableKinds() {
		sql += "SELECT VALUE record::id(id) FROM memory WHERE project = " + owner + " AND kind = '" + string(kind) + "' AND status = 'active'"
		if kind == memory.KindFailure {
			sql += " AND type = 'semantic'"
		}
		sql += ";"
	}
	return sql
}

// recallableSQL reads a page of these rows. One may have changed since its id was read.
var recallableSQL = "SELECT " + rowFields + " FROM $ids WHERE id != NONE AND status = 'active' AND project IN [$project, $private, '']"

// Recallable implements storetest.Store. Sessions and projects of the rows are not
// counted.
func (s *Store) Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error {
	place, err := s.conn.Place(ctx)
	if err != nil {
		return fmt.Errorf("read the recallable memories of %q: %w", project, domain(err))
	}
	sql, private := recallableIDsSQL, project
	if place != "" && memory.PrivateTo(project) == "" {
		sql, private = ownRecallableIDsSQL, place+project
	}
	ids, err := s.recallableIDs(ctx, sql, map[string]any{"project": project, "private": private})
	if err != nil {
		return fmt.Errorf("read the recallable memories of %q: %w", project, err)
	}
	for some := range slices.Chunk(ids, size) {
		rows, err := s.selectRows(ctx, recallableSQL, map[string]any{"ids": memoryIDs(some), "project": project, "private": private})
		if err != nil {
			return fmt.Errorf("read %d memories of %q that can be recalled: %w", len(some), project, err)
		}
		if err := visit(slices.DeleteFunc(rows, func(row memory.Row) bool { return !row.Memory.Recallable() })); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) recallableIDs(ctx context.Context, sql string, vars map[string]any) ([]string, error) {
	result, err := s.conn.Run(ctx, wire.Request{SQL: sql, Vars: vars, Idempotent: true, Timeout: wire.PageTime})
	if err != nil {
		return nil, domain(err)
	}
	var all []string
	for i := range result {
		var ids []string
		if err := result.Decode(i, &ids); err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	slices.Sort(all) // the order of the table
	return slices.Compact(all), nil
}
