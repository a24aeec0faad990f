package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotEmpty means that the target of a restore holds data, which must not be overwritten.
var ErrNotEmpty = errors.New("not empty")

// CopySink receives the rows of CopyOut. It may keep the bytes of a row.
type CopySink interface {
	Begin(c Contents) error
	Row(table string, row []byte) error
}

// TablesOf lists the tables of a store with their current numbers of rows.
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

// contentsOnly is a CopySink that keeps the contents and ends the copy before the first row.
type contentsOnly Contents

var errSeen = errors.New("only the contents were requested")

func (o *contentsOnly) Begin(c Contents) error {
	*o = contentsOnly(c)
	return errSeen
}

func (o *contentsOnly) Row(string, []byte) error { return errSeen }

// Contents describes the content of a store at one time.
type Contents struct {
	// Schema lists the applied migrations in order; a store without migrations has none.
	Schema []SchemaVersion `json:"schema"`
	Tables []Table         `json:"tables"`
}

type SchemaVersion struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	SHA256  string `json:"sha256"` // hash of the migration's file, in hex
}

// Table is a table with its number of rows.
type Table struct {
	Name string `json:"name"`
	// Edges marks a table of edges, whose rows are copied after the rows that they connect.
	Edges bool `json:"edges,omitempty"`
	Rows  int  `json:"rows"`
}

// userTables are the tables of user data. The other tables can be computed from these, or are the store's own records.
var userTables = []string{"memory", "session", "prompt", "event", "project"}

func UserTables(tables []Table) []Table {
	return slices.DeleteFunc(slices.Clone(tables), func(t Table) bool { return t.Rows == 0 || !slices.Contains(userTables, t.Name) })
}

// DescribeTables returns the tables with their numbers of rows, for people.
func DescribeTables(tables []Table) string {
	return strings.Join(Each(tables, func(t Table) string { return fmt.Sprintf("%s (%d)", t.Name, t.Rows) }), ", ")
}
