package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// recordTag marks a record's id in CBOR: an array of the table and the id within it.
const recordTag = 8

// copiedTables are those that ingest writes, nodes before edges. The tables of injections
// and uses are not copied: they are empty as long as no agent has run.
var copiedTables = []string{"project", "active_day", "file", "session", "prompt", "session_event", "memory", "seen_in"}

// projectCopier writes the rows of one project again, under the keys of others. Rows are
// read and written as those of a backup, so that each column is as ingest has written it;
// sessions, events, files and memories of a copy have the ids that its key gives them.
// The user's own rows are not copied.
type projectCopier struct {
	key  string
	rows map[string][]copiedRow
	is   map[string]bool // the project's sessions and memories, as table:id
}

type copiedRow map[string]cbor.RawMessage

// copyStore is the store that a copier reads and writes.
type copyStore interface {
	CopyOut(ctx context.Context, sink memory.CopySink) error
	CopyIn(ctx context.Context, table string, rows [][]byte) error
}

func newProjectCopier(ctx context.Context, store copyStore, key string) (*projectCopier, error) {
	c := &projectCopier{key: key, rows: map[string][]copiedRow{}, is: map[string]bool{}}
	if err := store.CopyOut(ctx, c); err != nil {
		return nil, fmt.Errorf("read the project to copy: %w", err)
	}
	for _, table := range copiedTables {
		c.rows[table] = slices.DeleteFunc(c.rows[table], func(row copiedRow) bool { return !c.owns(table, row) })
	}
	return c, nil
}

// Begin implements memory.CopySink.
func (c *projectCopier) Begin(memory.Contents) error { return nil }

// Row implements memory.CopySink.
func (c *projectCopier) Row(table string, row []byte) error {
	if !slices.Contains(copiedTables, table) {
		return nil
	}
	var fields copiedRow
	if err := cbor.Unmarshal(row, &fields); err != nil {
		return fmt.Errorf("read a row of the table %s: %w", table, err)
	}
	if (table == "memory" || table == "session") && text(fields["project"]) == c.key {
		c.is[table+":"+idOf(fields["id"])] = true
	}
	c.rows[table] = append(c.rows[table], fields)
	return nil
}

func (c *projectCopier) owns(table string, row copiedRow) bool {
	switch table {
	case "project":
		return idOf(row["id"]) == c.key
	case "session_event":
		return c.is["session:"+idOf(row["session"])]
	case "seen_in":
		return c.is["session:"+idOf(row["out"])]
	}
	return text(row["project"]) == c.key
}

// memories is how many memories each copy has.
func (c *projectCopier) memories() int { return len(c.rows["memory"]) }

// write writes the project once more, at most size rows with a statement. The copies of
// one copier have different numbers.
func (c *projectCopier) write(ctx context.Context, store copyStore, to memory.Project, number, size int) error {
	one := projectCopy{to: to, suffix: "-" + fmt.Sprint(number), number: number, memories: map[string]string{}}
	for _, row := range c.rows["memory"] {
		one.memories[idOf(row["id"])] = memory.NewID(memory.Scope(text(row["scope"])), to.Key, text(row["content"]))
	}
	for _, table := range copiedTables {
		for chunk := range slices.Chunk(c.rows[table], size) {
			rows := make([][]byte, len(chunk))
			for i, row := range chunk {
				var err error
				if rows[i], err = cbor.Marshal(one.row(table, row)); err != nil {
					return fmt.Errorf("copy a row of the table %s: %w", table, err)
				}
			}
			if err := store.CopyIn(ctx, table, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

type projectCopy struct {
	to       memory.Project
	suffix   string // of the ids of sessions and events
	number   int
	memories map[string]string // ids by those of the original
}

// row is a row of the original as ingest would have written it for the copy.
func (c projectCopy) row(table string, original copiedRow) copiedRow {
	row, id := maps.Clone(original), idOf(original["id"])
	if _, is := row["project"]; is {
		row["project"] = encoded(c.to.Key)
	}
	switch table {
	case "project":
		id = c.to.Key
		row["name"], row["root"] = encoded(c.to.Name), encoded(c.to.Root)
	case "active_day":
		id = c.to.Key + "/" + text(row["day"])
	case "file":
		id = memory.FileID(c.to.Key, text(row["path"]))
	case "memory":
		id = c.memories[id]
		row["home"], row["session"] = encoded(c.to.Key), encoded(text(row["session"])+c.suffix)
		row["changed_at"] = encoded(number(row["changed_at"]) + uint64(c.number)) // no two changes are at the same time
	case "session":
		id += c.suffix
		row["dir"] = encoded(c.to.Root)
	case "prompt", "session_event":
		id += c.suffix
		row["session"] = record("session", idOf(row["session"])+c.suffix)
	case "seen_in":
		seen := idOf(row["in"])
		event, ofSeveral := strings.CutSuffix(id, "-"+memory.ShortID(seen)) // that it shows
		seen = cmp.Or(c.memories[seen], seen)                               // it may be the user's
		id = event + c.suffix
		if ofSeveral {
			id += "-" + memory.ShortID(seen)
		}
		row["in"], row["out"] = record("memory", seen), record("session", idOf(row["out"])+c.suffix)
	}
	row["id"] = record(table, id)
	return row
}

// text is a value that is a text; empty if it is none.
func text(raw cbor.RawMessage) (value string) {
	_ = cbor.Unmarshal(raw, &value)
	return value
}

// number is a value that is a whole number; 0 if it is none.
func number(raw cbor.RawMessage) (value uint64) {
	_ = cbor.Unmarshal(raw, &value)
	return value
}

// idOf is the id of a record in its table; empty if the value is no record.
func idOf(raw cbor.RawMessage) string {
	var tagged struct {
		_     struct{} `cbor:",toarray"`
		Table string
		ID    string
	}
	var tag cbor.RawTag
	if cbor.Unmarshal(raw, &tag) != nil || tag.Number != recordTag || cbor.Unmarshal(tag.Content, &tagged) != nil {
		return ""
	}
	return tagged.ID
}

func record(table, id string) cbor.RawMessage {
	return encoded(cbor.Tag{Number: recordTag, Content: []string{table, id}})
}

// encoded is for values that cannot fail to be encoded.
func encoded(value any) cbor.RawMessage {
	raw, err := cbor.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}
