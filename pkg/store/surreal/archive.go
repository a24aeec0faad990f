package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// Rows are copied as the engine's CBOR, so that a datetime with nanoseconds or a float without a fraction stays the same.

const (
	// restoreMark is a table that exists while a restore is unfinished. The schema does not have it.
	restoreMark = "unfinished_restore"
	// firstPage and mostRows are numbers of rows; firstPage is small because the size of a row is unknown. pageBytes is
	// the size to which later pages are adapted.
	firstPage, mostRows, pageBytes = 100, 5000, 1 << 20
	// copyInTime limits the time of one statement.
	copyInTime = 2 * time.Minute
)

// ownTables are tables of the database itself, which are not copied.
var ownTables = []string{"lease", "migration_history", restoreMark, wire.ProbeTable}

func (s *Store) CopyOut(ctx context.Context, sink memory.CopySink) error {
	snap, err := s.conn.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	defer snap.End(ctx)
	contents, err := readContents(ctx, snap.Query)
	if err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	if err := sink.Begin(contents); err != nil {
		return err
	}
	for _, table := range contents.Tables {
		if err := copyTable(ctx, snap, table, sink); err != nil {
			return err
		}
	}
	return nil
}

func copyTable(ctx context.Context, snap *wire.Snapshot, table memory.Table, sink memory.CopySink) error {
	limit := firstPage
	for start := 0; start < table.Rows; {
		// There is no ORDER BY: a table is read in the order of its keys, and sorting would read the whole table for every page.
		result, err := snap.Query(ctx, "SELECT * FROM "+wire.Quoted(table.Name)+" LIMIT $limit START $start",
			map[string]any{"limit": limit, "start": start})
		if err != nil {
			return fmt.Errorf("copy the table %s: %w", table.Name, err)
		}
		var page []cbor.RawMessage
		if err := cbor.Unmarshal(result[0], &page); err != nil {
			return fmt.Errorf("copy the table %s: %w", table.Name, err)
		}
		if len(page) == 0 {
			return fmt.Errorf("copy the table %s: only %[3]d of its %[2]d rows were read", table.Name, table.Rows, start)
		}
		for _, row := range page {
			if err := sink.Row(table.Name, row); err != nil {
				return err
			}
		}
		start += len(page)
		average := max(1, len(result[0])/len(page))
		limit = min(4*limit, max(1, pageBytes/average), mostRows)
	}
	return nil
}

// queryFunc sends a query, in a snapshot or outside.
type queryFunc func(ctx context.Context, sql string, vars map[string]any) (wire.Results, error)

// tableDescription is the part of a table in INFO FOR DB STRUCTURE that is used.
type tableDescription struct {
	Name string `json:"name"`
	Kind struct {
		Kind string `json:"kind"`
	} `json:"kind"`
}

func describeTables(ctx context.Context, query queryFunc) ([]tableDescription, error) {
	var found struct {
		Tables []tableDescription `json:"tables"`
	}
	result, err := query(ctx, "INFO FOR DB STRUCTURE", nil)
	if err == nil {
		err = result.Decode(0, &found)
	}
	for i := range found.Tables {
		if name := &found.Tables[i].Name; len(*name) > 2 && strings.HasPrefix(*name, "`") {
			*name = strings.TrimSuffix((*name)[1:], "`") // the database puts a name that is a keyword in backticks
		}
	}
	return found.Tables, err
}

func readContents(ctx context.Context, query queryFunc) (memory.Contents, error) {
	contents := memory.Contents{Schema: []memory.SchemaVersion{}, Tables: []memory.Table{}}
	tables, err := describeTables(ctx, query)
	if err != nil {
		return contents, err
	}
	for _, table := range tables {
		if table.Name == "migration_history" {
			result, err := query(ctx, "SELECT version, name, sha256 FROM migration_history ORDER BY version", nil)
			if err != nil {
				return contents, err
			}
			if err := result.Decode(0, &contents.Schema); err != nil {
				return contents, err
			}
		}
		if slices.Contains(ownTables, table.Name) {
			continue
		}
		result, err := query(ctx, "SELECT VALUE count FROM (SELECT count() FROM "+wire.Quoted(table.Name)+" GROUP ALL)", nil)
		if err != nil {
			return contents, err
		}
		var rows []int
		if err := result.Decode(0, &rows); err != nil {
			return contents, err
		}
		counted := memory.Table{Name: table.Name, Edges: table.Kind.Kind == "RELATION"}
		if len(rows) > 0 {
			counted.Rows = rows[0]
		}
		contents.Tables = append(contents.Tables, counted)
	}
	slices.SortFunc(contents.Tables, func(a, b memory.Table) int {
		switch {
		case a.Edges == b.Edges:
			return cmp.Compare(a.Name, b.Name)
		case a.Edges:
			return 1
		}
		return -1
	})
	return contents, nil
}

func (s *Store) CopyIn(ctx context.Context, table string, rows [][]byte) error {
	tables, err := describeTables(ctx, s.conn.ExecIdempotent)
	if err != nil {
		return fmt.Errorf("copy into the table %s: %w", table, err)
	}
	// SurrealDB would create a missing table.
	insert := ""
	for _, known := range tables {
		switch {
		case known.Name != table || slices.Contains(ownTables, table):
		case known.Kind.Kind == "RELATION":
			insert = "INSERT RELATION IGNORE INTO "
		default:
			insert = "INSERT IGNORE INTO "
		}
	}
	if insert == "" {
		return fmt.Errorf("copy into the table %.64q: %w: the schema has no table of that name", table, memory.ErrNotFound)
	}
	raw := make([]cbor.RawMessage, 0, len(rows))
	for n, row := range rows {
		if err := cbor.Wellformed(row); err != nil {
			return fmt.Errorf("copy into the table %s: row %d of %d is damaged, try another backup: %w: %w", table, n+1, len(rows), memory.ErrInvalid, err)
		}
		raw = append(raw, row)
	}
	_, err = s.askFor(ctx, copyInTime, fmt.Sprintf("copy %d rows into the table %s", len(rows), table),
		insert+wire.Quoted(table)+" $rows RETURN NONE", map[string]any{"rows": raw})
	return err
}

func (s *Store) BeginRestore(ctx context.Context, source string) error {
	unfinished, err := s.UnfinishedRestore(ctx)
	if err != nil {
		return err
	}
	contents, err := readContents(ctx, s.conn.ExecIdempotent)
	if err != nil {
		return fmt.Errorf("begin a restore: %w", err)
	}
	held := memory.UserTables(contents.Tables)
	if unfinished == "" && len(held) > 0 {
		return fmt.Errorf("the database %s is %w: %s", s.conn.Database(), memory.ErrNotEmpty, memory.DescribeTables(held))
	}
	sql := "BEGIN;\nDEFINE TABLE IF NOT EXISTS " + restoreMark + " TYPE NORMAL SCHEMALESS PERMISSIONS NONE;\n" +
		"UPSERT " + restoreMark + ":1 SET source = $source, begun_at = time::now() RETURN NONE;\n"
	for _, table := range append(contents.Tables, memory.Table{Name: "lease"}, memory.Table{Name: "migration_history"}, memory.Table{Name: wire.ProbeTable}) {
		sql += "REMOVE TABLE IF EXISTS " + wire.Quoted(table.Name) + ";\n"
	}
	_, err = s.askFor(ctx, copyInTime, "begin a restore", sql+"COMMIT;", map[string]any{"source": source})
	return err
}

func (s *Store) EndRestore(ctx context.Context) error {
	_, err := s.ask(ctx, "end a restore", "REMOVE TABLE IF EXISTS "+restoreMark, nil)
	return err
}

// UnfinishedRestore returns the source of a restore that has begun and not ended, or "".
func (s *Store) UnfinishedRestore(ctx context.Context) (string, error) {
	sources, err := value[[]string](ctx, s, 0, "look for an unfinished restore", "SELECT VALUE source FROM "+restoreMark+":1", nil)
	var failed *wire.StatementError
	if errors.As(err, &failed) && failed.Message == "The table '"+restoreMark+"' does not exist" {
		return "", nil
	}
	return strings.Join(sources, ""), err // there is at most one row
}
