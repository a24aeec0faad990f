package surreal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// Lacking returns the definitions of this version's schema, of some kinds or of all, that the database lacks, in the
// order in which they must be created.
func (s *MigrationStore) Lacking(ctx context.Context, kinds ...string) ([]schema.Definition, error) {
	wanted, err := schema.Definitions()
	if err != nil {
		return nil, err
	}
	there, err := s.names(ctx, "INFO FOR DB", map[string]string{"tables": "TABLE"})
	if err != nil {
		return nil, fmt.Errorf("read the database's definitions: %w", err)
	}
	for _, table := range wanted {
		if table.Kind != "TABLE" || !there["TABLE "+table.Name] {
			continue
		}
		parts, err := s.names(ctx, "INFO FOR TABLE "+wire.Quoted(table.Name),
			map[string]string{"fields": "FIELD", "indexes": "INDEX"})
		if err != nil {
			return nil, fmt.Errorf("read the definition of the table %s: %w", table.Name, err)
		}
		for part := range parts {
			there[part+" ON "+table.Name] = true
		}
	}
	var missing []schema.Definition
	for _, d := range wanted {
		if !there[d.String()] && (len(kinds) == 0 || slices.Contains(kinds, d.Kind)) {
			missing = append(missing, d)
		}
	}
	return missing, nil
}

// names runs an INFO statement and returns the names in its sections, as "KIND NAME".
func (s *MigrationStore) names(ctx context.Context, sql string, kinds map[string]string) (map[string]bool, error) {
	result, err := s.conn.ExecIdempotent(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	var info map[string]map[string]string
	if err := result.Decode(0, &info); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for section, kind := range kinds {
		for name := range info[section] {
			names[kind+" "+name] = true
		}
	}
	return names, nil
}

// Define adds definitions. It goes on after a failure and returns all errors. Building an index over many rows is slow.
func (s *MigrationStore) Define(ctx context.Context, missing []schema.Definition) error {
	var errs []error
	for _, d := range missing {
		if _, err := s.conn.Run(ctx, wire.Request{SQL: d.SQL, Timeout: applyTimeout}); err != nil {
			errs = append(errs, fmt.Errorf("define %s: %w", d, err))
		}
	}
	return errors.Join(errs...)
}
