// Package migrations carries the numbered migrations. Its tests check their numbers and statements, and compare them with
// migrations.sum, so that no migration is edited by mistake.
package migrations

import "embed"

// FS holds NNNN_name.surql.
//
//go:embed *.surql
var FS embed.FS
