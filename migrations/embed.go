// Package migrations carries the numbered migrations and their checksums. Package migrate bounds the
// statements of a file.
package migrations

import "embed"

// FS holds NNNN_name.surql and migrations.sum.
//
//go:embed *.surql migrations.sum
var FS embed.FS
