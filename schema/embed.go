// Package schema has the database schema after the last migration, one file for each table. People read it, and tests
// compare a migrated database with it; programs change a database by migrations only. The two files of Bootstrap are
// the exception: the migration tool needs their tables before the first migration.
package schema

import "embed"

// FS holds the *.surql files.
//
//go:embed *.surql
var FS embed.FS

//go:embed lease.surql
var lease string

//go:embed migration_history.surql
var history string

// Bootstrap returns the statements that define the tables of the migration tool itself. They must be executed
// before the history is read, and may be executed again at any time.
func Bootstrap() string { return lease + history }
