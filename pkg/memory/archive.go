package memory

import (
	"errors"
)

// ErrNotEmpty: what would be written over is kept.
var ErrNotEmpty = errors.New("not empty")

// CopySink takes what CopyOut hands over. The bytes of a row are its own.
type CopySink interface {
	Begin(c Contents) error
	Row(table string, row []byte) error
}

// Contents is what a store holds at one instant.
type Contents struct {
	// Schema are the migrations that made it, in their order; a store without
	// migrations has none.
	Schema []SchemaVersion `json:"schema"`
	Tables []Table         `json:"tables"`
}

// SchemaVersion is one applied migration.
type SchemaVersion struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	SHA256  string `json:"sha256"` // of the migration's file, in hex
}

// Table is a table with its number of rows.
type Table struct {
	Name string `json:"name"`
	// Edges says that its rows lead from one row to another: they come after the
	// rows of the other tables.
	Edges bool `json:"edges,omitempty"`
	Rows  int  `json:"rows"`
}

// Precious says whether rows of a table are what somebody would miss. The others
// are about these, or the store's own records.
func Precious(table string) bool {
	switch table {
	case "memory", "session", "prompt", "project":
		return true
	}
	return false
}
