// Package schema carries the database schema as it is meant to be after the last migration, one file a
// table. It is the text for people, and the reference that tests compare a migrated database with;
// programs change a database through migrations only. The two files of Bootstrap are the exception: the
// migration tool needs their tables before the first migration.
package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// FS holds the *.surql files.
//
//go:embed *.surql
var FS embed.FS

// Bootstrap returns the statements that define the tables the migration tool itself needs, to be executed before the
// history is read. They may be executed again at any time.
func Bootstrap() (string, error) {
	var all strings.Builder
	for _, file := range []string{"lease.surql", "migration_history.surql"} {
		text, err := fs.ReadFile(FS, file)
		if err != nil {
			return "", fmt.Errorf("read the embedded schema: %w", err)
		}
		all.Write(text)
	}
	return all.String(), nil
}
