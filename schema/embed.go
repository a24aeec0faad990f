// Package schema carries the database schema as it is meant to be after the last migration, one file a
// table. It is the text for people, and the reference that tests compare a migrated database with;
// programs change a database through migrations only. The two files of Bootstrap are the exception: the
// migration tool needs their tables before the first migration.
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

// Bootstrap returns the statements that define the tables the migration tool itself needs, to be executed before the
// history is read. They may be executed again at any time.
func Bootstrap() string { return lease + history }
