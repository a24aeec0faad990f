package memstore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// tables are the rows by table and id. Those of memory are pointers, because most queries go through all of them.
type tables map[string]map[string]any

// The tables that no write has rows for.
const (
	bandTable = "band"
	jobTable  = "maintenance_job"
)

func newTables() tables {
	t := tables{bandTable: {}, jobTable: {}}
	for _, of := range memory.RowTypes() {
		t[of.Table] = map[string]any{}
	}
	return t
}

func (t tables) names() []string { return slices.Sorted(maps.Keys(t)) }

// get returns the row with an id, or the zero row.
func get[T any](t tables, table, id string) (row T, isThere bool) {
	row, isThere = t[table][id].(T)
	return row, isThere
}

// all returns the rows of a table.
func all[T any](t tables, table string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, row := range t[table] {
			if !yield(row.(T)) {
				return
			}
		}
	}
}

// among returns the rows with the given ids.
func among[T any](t tables, table string, ids []string) map[string]T {
	found := map[string]T{}
	for _, id := range ids {
		if row, isThere := get[T](t, table, id); isThere {
			found[id] = row
		}
	}
	return found
}

// having returns the rows of a table that meet a condition, in the order of a time and an id.
func having[T any](t tables, table string, keep func(T) bool, order func(T) (time.Time, string)) []T {
	rows := []T{}
	for row := range all[T](t, table) {
		if keep(row) {
			rows = append(rows, row)
		}
	}
	return oldestFirst(rows, order)
}

func oldestFirst[T any](rows []T, order func(T) (time.Time, string)) []T {
	slices.SortFunc(rows, func(a, b T) int {
		at, id := order(a)
		otherAt, otherID := order(b)
		return cmp.Or(at.Compare(otherAt), strings.Compare(id, otherID))
	})
	return rows
}

func sightingOrder(s memory.Sighting) (time.Time, string)   { return s.At, s.ID }
func injectionOrder(i memory.Injection) (time.Time, string) { return i.At, i.ID }

// memory returns the row of a memory, or nil.
func (t tables) memory(id string) *memory.Row {
	row, _ := get[*memory.Row](t, "memory", id)
	return row
}

// memories returns the first rows of memories that meet a condition, in an order.
func (t tables) memories(order func(a, b memory.Row) int, limit int, keep func(*memory.Row) bool) []memory.Row {
	var kept []memory.Row
	for row := range all[*memory.Row](t, "memory") {
		if keep(row) {
			kept = append(kept, *row)
		}
	}
	slices.SortFunc(kept, order)
	return kept[:min(limit, len(kept))]
}

// withoutLimit is the limit of a query that returns all rows.
const withoutLimit = math.MaxInt

// encoded is a row of CopyOut.
type encoded[V any] struct {
	Key   string `json:"key"`
	Value V      `json:"value"`
}

// encode returns the rows of a table as JSON, in an order that depends on the rows only.
func (t tables) encode(table string) ([][]byte, error) {
	rows := [][]byte{}
	for key, value := range t[table] {
		text, err := json.Marshal(encoded[any]{key, value})
		if err != nil {
			return nil, fmt.Errorf("copy the table %s: %w", table, err)
		}
		rows = append(rows, text)
	}
	slices.SortFunc(rows, bytes.Compare)
	return rows, nil
}

// decode inserts a row of encode, unless it exists.
func (t tables) decode(table string, text []byte) error {
	var one encoded[json.RawMessage]
	err := json.Unmarshal(text, &one)
	if _, isThere := t[table][one.Key]; isThere || err != nil {
		return err
	}
	switch table {
	case bandTable:
		t[table][one.Key], err = decoded[[]string](one.Value)
	case jobTable:
		t[table][one.Key], err = decoded[memory.JobState](one.Value)
	case "memory":
		t[table][one.Key], err = decoded[*memory.Row](one.Value)
	default:
		of, _ := memory.RowTypeIn(table)
		t[table][one.Key], err = of.Decode(one.Value)
	}
	return err
}

func decoded[T any](text []byte) (row T, err error) {
	err = json.Unmarshal(text, &row)
	return row, err
}
