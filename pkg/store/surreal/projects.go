package surreal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// administrationTime limits the time of merges and purges, which touch every row of a project.
const administrationTime = 5 * time.Minute

// purgeBatch is the number of memories that one transaction deletes: its cost grows faster than its size. An
// interrupted purge continues with the next batch.
const purgeBatch = 500

var projectsSQL = "SELECT " + holdingCodec.all + " FROM project ORDER BY seen_at DESC, id"

func (s *Store) Projects(ctx context.Context) ([]memory.ProjectHolding, error) {
	all, err := list(ctx, s, holdingCodec, "list projects", projectsSQL, nil)
	return append([]memory.ProjectHolding{}, all...), err // encodes an empty list as [] in JSON
}

// purgeActionsSQL deletes the recorded changes of memories, and the other rows about a memory that are not edges.
var purgeActionsSQL = `
DELETE maintenance_action WHERE memory.project IN $keys RETURN NONE;` +
	rowsOfSQL("memory")

// purgeMemoriesSQL deletes a batch of memories with their edges. The result of statement 3 is their number.
const purgeMemoriesSQL = `
BEGIN;
LET $gone = (SELECT VALUE id FROM memory WHERE project = $key LIMIT $batch);
DELETE $gone RETURN NONE;
array::len($gone);
COMMIT;`

// purgeRestSQL deletes the remaining rows of the projects, their own rows last: until then the purge can be repeated.
var purgeRestSQL = `
UPDATE spend SET session = '' WHERE session != '' AND type::record('session', session).project IN $keys RETURN NONE;` +
	rowsOfSQL("session") + rowsOfSQL("project")

// rowsOfSQL returns the statements that delete the projects' rows from the tables whose rows belong to a memory, a session or a
// project (owners). It leaves out edges: the engine deletes an edge when it deletes one of its two rows.
func rowsOfSQL(owners string) (sql string) {
	for _, t := range slices.Backward(tableWriters) {
		if owner, project := t.owner(); owner == owners && t.Table != "memory" {
			sql += "\nDELETE " + t.Table + " WHERE " + project + " IN $keys RETURN NONE;"
		}
	}
	return sql
}

// purge deletes all rows of projects; the key "" stands for everything.
func (s *Store) purge(ctx context.Context, keys []string) error {
	if slices.Contains(keys, "") {
		return s.purgeAll(ctx)
	}
	purpose, vars := "purge the projects "+strings.Join(keys, ", "), map[string]any{"keys": keys}
	if _, err := s.askFor(ctx, administrationTime, purpose, purgeActionsSQL, vars); err != nil {
		return err
	}
	for _, key := range keys {
		for gone := purgeBatch; gone == purgeBatch; {
			result, err := s.askFor(ctx, administrationTime, purpose, purgeMemoriesSQL, map[string]any{"key": key, "batch": purgeBatch})
			if err != nil {
				return err
			}
			if err := result.Decode(3, &gone); err != nil {
				return fmt.Errorf("%s: %w", purpose, err)
			}
		}
	}
	_, err := s.askFor(ctx, administrationTime, purpose, purgeRestSQL, vars)
	return err
}

// purgeAll deletes all rows of the tables that the database lists, so that it cannot miss a table.
func (s *Store) purgeAll(ctx context.Context) error {
	tables, err := describeTables(ctx, s.conn.ExecIdempotent)
	if err != nil {
		return fmt.Errorf("purge everything: %w", err)
	}
	for _, table := range tables {
		if slices.Contains(ownTables, table.Name) {
			continue
		}
		if _, err := s.askFor(ctx, administrationTime, "purge the table "+table.Name, "DELETE "+wire.Quoted(table.Name)+" RETURN NONE", nil); err != nil {
			return err
		}
	}
	return nil
}
