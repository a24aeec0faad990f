package surreal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// plainFields are the columns with keys or with words of a fixed list, not free text.
var plainFields = []string{
	"id", "in", "out", "project", "session", "memory", "key", "home", "kind", "scope", "type", "status",
	"superseded_by", "merged_into", "derived_from",
	"token_encoding", "summary_token_encoding", "sha256", "at", "by",
}

// deletedAtOnce is the maximum number of rows that one request of a sweep deletes.
const deletedAtOnce = 200

// Sweep deletes rows, changes the texts of others, and returns the number of affected rows of each table. Without apply
// it only counts. Rows keep their IDs, even IDs derived from the content; maintenance counts their tokens again. It may
// miss rows that are written meanwhile.
func (s *Store) Sweep(ctx context.Context, apply bool, sweep memory.Sweep) (map[string]int, error) {
	if sweep.Whole { // the first pass marks the memories, so that the second finds their edges
		first := &sweepSink{sweep: sweep, rows: map[string]int{}, last: map[string]sighting{}}
		if err := s.CopyOut(ctx, first); err != nil {
			return nil, err
		}
		for _, id := range first.stated {
			if other := cmp.Or(first.last[id].session, sweep.Others[id]); other != "" {
				sweep.Others[id] = other
			} else {
				sweep.Memories[id] = true
			}
		}
	}
	found := &sweepSink{sweep: sweep, rows: map[string]int{}}
	if err := s.CopyOut(ctx, found); err != nil || !apply {
		return found.rows, err
	}
	for ids := range slices.Chunk(found.gone, deletedAtOnce) {
		if _, err := s.ask(ctx, "delete rows", "DELETE $ids RETURN NONE", map[string]any{"ids": ids}); err != nil {
			return found.rows, err
		}
	}
	for _, one := range found.changes {
		vars := map[string]any{"id": one.id, "changed": one.fields}
		if _, err := s.ask(ctx, "rewrite a row of the table "+one.table, "UPDATE $id MERGE $changed RETURN NONE", vars); err != nil {
			return found.rows, err
		}
	}
	return found.rows, nil
}

// Compact makes the engine rewrite its files without the deleted rows, which its log keeps until then. An engine in
// memory has no files.
func (s *Store) Compact(ctx context.Context) error {
	_, err := s.administer(ctx, "compact the engine's files", "ALTER SYSTEM COMPACT", nil)
	if err != nil && strings.Contains(err.Error(), "does not support compaction") {
		return nil
	}
	return err
}

// sweepSink is a memory.CopySink that collects the rows to change and to delete.
type sweepSink struct {
	sweep   memory.Sweep
	rows    map[string]int
	gone    []cbor.RawMessage // IDs of the rows to delete
	changes []rowChange
	stated  []string            // memories that the sessions that go have stated
	last    map[string]sighting // the last sighting of each memory by another session; nil: not needed
}

// sighting is a session that has stated a memory, and when.
type sighting struct {
	session string
	at      time.Time
}

type rowChange struct {
	table  string
	id     cbor.RawMessage
	fields map[string]cbor.RawMessage
}

func (d *sweepSink) Begin(memory.Contents) error { return nil }

func (d *sweepSink) Row(table string, row []byte) error {
	all, changed, isGone, err := sweepFields(table, row, d.sweep)
	if err != nil {
		return fmt.Errorf("a row of the table %s: %w", table, err)
	}
	if table == sightingCodec.table && d.last != nil {
		var when models.CustomDateTime
		if err := cbor.Unmarshal(all["at"], &when); err != nil {
			return fmt.Errorf("the time of a sighting: %w", err)
		}
		id, one := keyIn(all["in"]), sighting{keyIn(all["out"]), when.Time}
		if d.sweep.Has(one.session) {
			d.stated = append(d.stated, id)
		} else if !one.at.Before(d.last[id].at) {
			d.last[id] = one
		}
	}
	if isGone || len(changed) > 0 {
		d.rows[table]++
	}
	if isGone {
		d.gone = append(d.gone, slices.Clone(all["id"]))
	} else if len(changed) > 0 {
		d.changes = append(d.changes, rowChange{table, slices.Clone(all["id"]), changed})
	}
	return nil
}

// SweepRow returns a row of a backup as a sweep leaves it, nil if the sweep deletes it, and whether it changes the row.
func SweepRow(table string, row []byte, sweep memory.Sweep) ([]byte, bool, error) {
	all, changed, isGone, err := sweepFields(table, row, sweep)
	if err != nil || !isGone && len(changed) == 0 {
		return row, false, err
	}
	if isGone {
		return nil, true, nil
	}
	for name, value := range changed {
		all[name] = value
	}
	row, err = cbor.Marshal(all)
	return row, true, err
}

// sweepFields returns all fields of a row, the fields that a sweep changes, and whether it deletes the row.
func sweepFields(table string, row []byte, sweep memory.Sweep) (all, changed map[string]cbor.RawMessage, isGone bool, err error) {
	if all, changed, err = cleanFields(row, sweep.Clean); err != nil {
		return nil, nil, false, err
	}
	id, isOf := keyIn(all["id"]), func(name string) bool {
		key := keyIn(all[name])
		return sweep.Memories[key] || sweep.Has(key)
	}
	switch table {
	case "memory":
		isGone = sweep.Memories[id] || sweep.IsWhole(table) && len(changed) > 0
		if isGone && sweep.Whole {
			sweep.Memories[id] = true
		}
		if other := sweep.Others[id]; other != "" && other != keyIn(all["session"]) && isOf("session") {
			changed["session"], err = cbor.Marshal(other)
		}
	case "session", "distillation":
		isGone = sweep.Has(id)
	case "spend":
		if isOf("session") {
			changed["session"], err = cbor.Marshal("")
		}
	default:
		isGone = sweep.IsWhole(table) && len(changed) > 0 || slices.ContainsFunc([]string{"in", "out", "memory", "session"}, isOf)
	}
	return all, changed, isGone, err
}

// keyIn returns the key of the row that a field refers to, or "".
func keyIn(raw cbor.RawMessage) (key string) {
	if len(raw) > 0 && raw[0]>>5 == cborTag {
		var record cbor.RawTag
		var parts []cbor.RawMessage
		if cbor.Unmarshal(raw, &record) != nil || cbor.Unmarshal(record.Content, &parts) != nil || len(parts) != 2 {
			return ""
		}
		raw = parts[1]
	}
	_ = cbor.Unmarshal(raw, &key) // a value of another type refers to no row
	return key
}

// cleanFields returns all fields of a row, and the fields that clean changes.
func cleanFields(row []byte, clean func(string) string) (all, changed map[string]cbor.RawMessage, err error) {
	if err := cbor.Unmarshal(row, &all); err != nil {
		return nil, nil, err
	}
	changed = map[string]cbor.RawMessage{}
	for name, value := range all {
		if slices.Contains(plainFields, name) {
			continue
		}
		cleaned, differs, err := cleanValue(value, clean)
		if err != nil {
			return nil, nil, err
		}
		if differs {
			changed[name] = cleaned
		}
	}
	return all, changed, uncount(all, changed)
}

// uncount makes maintenance count the tokens of a changed row again.
func uncount(all, changed map[string]cbor.RawMessage) (err error) {
	if len(changed) == 0 {
		return nil
	}
	for name := range all {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(name, "token_count"):
			changed[name], err = cbor.Marshal(0)
		case strings.HasSuffix(name, "token_encoding"):
			changed[name], err = cbor.Marshal("")
		}
	}
	return err
}

// The CBOR major types that can contain text. Everything else, such as a record ID or a datetime, stays as it is.
const (
	cborText  = 3
	cborArray = 4
	cborMap   = 5
	cborTag   = 6
)

func cleanValue(raw cbor.RawMessage, clean func(string) string) (cbor.RawMessage, bool, error) {
	if len(raw) == 0 {
		return raw, false, nil
	}
	switch raw[0] >> 5 {
	case cborText:
		var text string
		if err := cbor.Unmarshal(raw, &text); err != nil {
			return raw, false, err
		}
		cleaned := clean(text)
		if cleaned == text {
			return raw, false, nil
		}
		out, err := cbor.Marshal(cleaned)
		return out, true, err
	case cborArray:
		return cleanArray(raw, clean)
	case cborMap:
		all, changed, err := cleanFields(raw, clean)
		if err != nil || len(changed) == 0 {
			return raw, false, err
		}
		for name, value := range changed {
			all[name] = value
		}
		out, err := cbor.Marshal(all)
		return out, true, err
	}
	return raw, false, nil
}

func cleanArray(raw cbor.RawMessage, clean func(string) string) (cbor.RawMessage, bool, error) {
	var all []cbor.RawMessage
	if err := cbor.Unmarshal(raw, &all); err != nil {
		return raw, false, err
	}
	differs := false
	for i := range all {
		cleaned, changed, err := cleanValue(all[i], clean)
		if err != nil {
			return raw, false, err
		}
		all[i], differs = cleaned, differs || changed
	}
	if !differs {
		return raw, false, nil
	}
	out, err := cbor.Marshal(all)
	return out, true, err
}
