package surrealtest

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// clocked are the columns that depend on the time of the write.
var clocked = []string{"changed_at"}

// texts is a memory.CopySink that collects rows as texts, which a test can compare.
type texts struct{ all []string }

func (*texts) Begin(memory.Contents) error { return nil }

func (t *texts) Row(table string, row []byte) error {
	var columns map[string]any
	if err := (wire.Results{row}).Decode(0, &columns); err != nil {
		return err
	}
	for _, name := range clocked {
		delete(columns, name)
	}
	text, err := json.Marshal(columns)
	t.all = append(t.all, table+" "+string(text))
	return err
}

// Texts returns all rows of a store, each as its table and JSON, without the columns that depend on the clock.
func Texts(ctx context.Context, store interface {
	CopyOut(ctx context.Context, sink memory.CopySink) error
},
) ([]string, error) {
	var t texts
	err := store.CopyOut(ctx, &t)
	slices.Sort(t.all)
	return t.all, err
}
