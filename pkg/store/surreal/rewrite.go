package surreal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"
	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// deletedAtOnce is the maximum number of rows that one request of a sweep deletes.
const deletedAtOnce = 200

// Sweep deletes rows, changes the texts of others, and returns the numbers of both. Without apply
// it only counts. If the store refuses a changed row, Sweep changes the others before it fails. Rows keep their IDs, even IDs derived from the content. It may
// miss rows that are written meanwhile.
func (s *Store) Sweep(ctx context.Context, apply bool, sweep memory.Sweep) (memory.Swept, error) {
	if sweep.Whole { // the first pass marks the memories, so that the second finds their edges
		first := newSweepSink(sweep)
		first.isFirst = true
		if err := s.CopyOut(ctx, first); err != nil {
			return first.swept, err
		}
		for id := range sweep.Gone {
			sweep.Memories[id] = sweep.Memories[id] || len(sweep.Stay[id]) == 0
		}
	}
	found := newSweepSink(sweep)
	if err := s.CopyOut(ctx, found); err != nil || !apply {
		return found.swept, err
	}
	for ids := range slices.Chunk(found.gone, deletedAtOnce) {
		if _, err := s.ask(ctx, "delete rows", "DELETE $ids RETURN NONE", map[string]any{"ids": ids}); err != nil {
			return found.swept, err
		}
	}
	var refused error
	for _, one := range found.changes {
		vars := map[string]any{"id": one.id, "changed": one.fields}
		_, err := s.ask(ctx, "rewrite a row of the table "+one.table, "UPDATE $id MERGE $changed RETURN NONE", vars)
		if errors.Is(err, memory.ErrUnavailable) || ctx.Err() != nil {
			return found.swept, err
		}
		refused = errors.Join(refused, err)
	}
	return found.swept, refused
}

// Compact makes the engine rewrite its files without deleted rows, which its log keeps until then. An engine in memory has no files.
func (s *Store) Compact(ctx context.Context) error {
	_, err := s.askFor(ctx, administrationTime, "compact the engine's files", "ALTER SYSTEM COMPACT", nil)
	if err != nil && strings.Contains(err.Error(), "does not support compaction") {
		return nil
	}
	return err
}

// sweepSink is a memory.CopySink that collects the rows to change and to delete.
type sweepSink struct {
	sweep   memory.Sweep
	swept   memory.Swept
	gone    []cbor.RawMessage // IDs of the rows to delete
	changes []rowChange
	isFirst bool // whether this is the first pass, which adds the sightings to the sweep
}

func newSweepSink(sweep memory.Sweep) *sweepSink {
	return &sweepSink{sweep: sweep, swept: memory.Swept{Deleted: map[string]int{}, Cleaned: map[string]int{}}}
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
		return fmt.Errorf("read a row of the table %s: %w", table, err)
	}
	if table == sightingCodec.table && d.isFirst {
		var when models.CustomDateTime
		if err := cbor.Unmarshal(all["at"], &when); err != nil {
			return fmt.Errorf("read the time of a sighting: %w", err)
		}
		of, one := d.sweep.Stay, memory.Sighting{Memory: keyIn(all["in"]), Session: keyIn(all["out"]), At: when.Time}
		if d.sweep.Has(one.Session) {
			of = d.sweep.Gone
		}
		of[one.Memory] = append(of[one.Memory], one)
	}
	if isGone {
		d.swept.Deleted[table]++
		d.gone = append(d.gone, slices.Clone(all["id"]))
	} else if len(changed) > 0 {
		d.swept.Cleaned[table]++
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
	maps.Copy(all, changed)
	row, err = cbor.Marshal(all)
	return row, true, err
}

// sweepFields returns all fields of a row, the fields that a sweep changes, and whether it deletes the row.
func sweepFields(table string, row []byte, sweep memory.Sweep) (all, changed map[string]cbor.RawMessage, isGone bool, err error) {
	if all, changed, err = cleanFields(row, memory.TextsIn(table), sweep); err != nil {
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
		if gone := sweep.Gone[id]; len(gone) > 0 && !isGone {
			err = withoutSightings(all, changed, gone, sweep.Stay[id])
		}
		if isOf("superseded_by") && !isGone {
			changed["superseded_by"] = noText
		}
	case "session", "distillation":
		isGone = sweep.Has(id)
	case "spend":
		if isOf("session") {
			changed["session"] = noText
		}
	default:
		isGone = sweep.IsWhole(table) && len(changed) > 0 || slices.ContainsFunc([]string{"in", "out", "memory", "session"}, isOf)
	}
	return all, changed, isGone, err
}

// withoutSightings adds to changed the fields of a memory's row that Row.Without changes.
func withoutSightings(all, changed map[string]cbor.RawMessage, gone, rest []memory.Sighting) error {
	var row memory.Row
	m := &row.Memory
	var created, seen models.CustomDateTime
	var failed error
	for name, into := range map[string]any{
		"session": &m.Session, "source": &m.Source, "kind": &m.Kind, "tags": &m.Tags, "importance": &m.Importance,
		"user_written": &row.UserWritten, "created_at": &created, "last_seen_at": &seen,
	} {
		if len(all[name]) > 0 {
			failed = errors.Join(failed, cbor.Unmarshal(all[name], into))
		}
	}
	m.CreatedAt, m.LastSeenAt = created.Time, seen.Time
	left := row.Without(gone, rest).Memory
	set := func(name string, differs bool, value any) {
		if differs {
			raw, err := cbor.Marshal(value)
			changed[name], failed = raw, errors.Join(failed, err)
		}
	}
	set("session", left.Session != m.Session, left.Session)
	set("tags", len(left.Tags) != len(m.Tags), append([]string{}, left.Tags...))
	set("importance", left.Importance != m.Importance, left.Importance)
	set("created_at", !left.CreatedAt.Equal(m.CreatedAt), models.CustomDateTime{Time: left.CreatedAt})
	set("last_seen_at", !left.LastSeenAt.Equal(m.LastSeenAt), models.CustomDateTime{Time: left.LastSeenAt})
	return failed
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

// noText is "" in CBOR.
var noText = cbor.RawMessage{0x60}

// cleanFields returns all fields of a row, and as changed the texts that a sweep changes.
func cleanFields(row []byte, texts map[string]memory.Text, sweep memory.Sweep) (all, changed map[string]cbor.RawMessage, err error) {
	if err := cbor.Unmarshal(row, &all); err != nil {
		return nil, nil, err
	}
	changed = map[string]cbor.RawMessage{}
	for name, text := range texts {
		cleaned, differs, failed := cleanValue(all[name], text, sweep)
		if err = errors.Join(err, failed); differs {
			changed[name] = cleaned
		}
	}
	return all, changed, err
}

// The CBOR major types that can contain text. Everything else, such as a record ID or a datetime, stays as it is.
const (
	cborText  = 3
	cborArray = 4
	cborMap   = 5
	cborTag   = 6
)

// cleanValue returns a value after a sweep has changed the texts in it, and whether it differs.
func cleanValue(raw cbor.RawMessage, is memory.Text, sweep memory.Sweep) (_ cbor.RawMessage, differs bool, err error) {
	if len(raw) == 0 {
		return raw, false, nil
	}
	var value any
	switch clean := sweep.CleanerOf(is.Holds); raw[0] >> 5 {
	case cborText:
		var text string
		if err = cbor.Unmarshal(raw, &text); clean != nil {
			cleaned := clean(text)
			value, differs = cleaned, cleaned != text
		}
	case cborArray:
		var all []cbor.RawMessage
		err = cbor.Unmarshal(raw, &all)
		for i := range all {
			one, isOther, failed := cleanValue(all[i], is, sweep)
			all[i], differs, err = one, differs || isOther, errors.Join(err, failed)
		}
		value = all
	case cborMap:
		all, changed, failed := cleanFields(raw, is.Members, sweep)
		maps.Copy(all, changed)
		value, differs, err = all, len(changed) > 0, failed
	}
	if err != nil || !differs {
		return raw, false, err
	}
	raw, err = cbor.Marshal(value)
	return raw, true, err
}
