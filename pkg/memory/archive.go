package memory

import (
	"context"
	"errors"
)

// ErrNotEmpty: what would be written over is kept.
var ErrNotEmpty = errors.New("not empty")

// Archive copies everything a store holds out, and back in, whatever its tables
// are. Rows are in the store's own encoding: only a store of the same make, at
// the same schema, takes them back.
type Archive interface {
	// CopyOut hands everything to the sink, as it was at one instant: what is
	// written meanwhile is not in it. First what there will be, then every row,
	// table by table, in an order that depends on the rows only. An error of the
	// sink ends it. Left out are leases, the history of migrations (its versions
	// are told at the start) and what the store computes from other rows.
	CopyOut(ctx context.Context, sink CopySink) error
	// CopyIn inserts rows of a table that CopyOut handed out, as they were. One
	// that is there stays, so it may be done again. ErrNotFound if there is no
	// such table.
	CopyIn(ctx context.Context, table string, rows [][]byte) error
	// Tables lists what CopyOut would tell of, by name.
	Tables(ctx context.Context) ([]Table, error)

	// BeginRestore takes away the schema and leaves a mark with the source's
	// name, so that what an interrupted restore leaves is not taken for a store.
	// ErrNotEmpty if somebody's sessions or memories are there; what an
	// interrupted restore left is deleted.
	BeginRestore(ctx context.Context, source string) error
	// EndRestore takes the mark away.
	EndRestore(ctx context.Context) error
	// UnfinishedRestore returns the source of a restore that has begun and not
	// ended, or "".
	UnfinishedRestore(ctx context.Context) (source string, err error)

	// HasRun tells whether a maintenance run is recorded.
	HasRun(ctx context.Context, id string) (bool, error)
}

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
