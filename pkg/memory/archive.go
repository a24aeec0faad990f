package memory

import (
	"context"
	"errors"
)

// ErrNotEmpty: the target holds data, which is not overwritten.
var ErrNotEmpty = errors.New("not empty")

// CopySink receives the rows of CopyOut. It may keep the bytes of a row.
type CopySink interface {
	Begin(c Contents) error
	Row(table string, row []byte) error
}

// TablesOf lists the tables of a store with the numbers of their rows now.
func TablesOf(ctx context.Context, store interface {
	CopyOut(ctx context.Context, sink CopySink) error
},
) ([]Table, error) {
	var seen contentsOnly
	err := store.CopyOut(ctx, &seen)
	if errors.Is(err, errSeen) {
		err = nil
	}
	return seen.Tables, err
}

// contentsOnly is a sink that ends a copy before its rows.
type contentsOnly Contents

var errSeen = errors.New("only the contents were asked for")

func (o *contentsOnly) Begin(c Contents) error {
	*o = contentsOnly(c)
	return errSeen
}

func (o *contentsOnly) Row(string, []byte) error { return errSeen }

// Contents describes the content of a store at one time.
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

// Precious says whether a table holds user data. The other tables are derived from
// these or are the store's own records.
func Precious(table string) bool {
	switch table {
	case "memory", "session", "prompt", "project":
		return true
	}
	return false
}
