package surreal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// plainFields are keys or words of a fixed list, without free text.
var plainFields = []string{
	"id", "in", "out", "project", "session", "memory", "key", "home", "kind", "scope", "type", "status",
	"superseded_by", "merged_into", "derived_from",
	"token_encoding", "summary_token_encoding", "sha256", "at", "by",
}

// RewriteTexts changes every text of every row with clean, and returns the number of changed
// rows of each table. Without apply it only counts. Rows keep their ids, even those derived
// from the content; maintenance counts their tokens again. It may miss rows that are written
// meanwhile.
func (s *Store) RewriteTexts(ctx context.Context, apply bool, clean func(string) string) (map[string]int, error) {
	found := &differing{clean: clean, rows: map[string]int{}}
	if err := s.CopyOut(ctx, found); err != nil {
		return nil, err
	}
	if !apply {
		return found.rows, nil
	}
	for _, one := range found.changes {
		_, err := s.conn.Run(ctx, wire.Request{
			SQL: "UPDATE $id MERGE $changed RETURN NONE", Vars: map[string]any{"id": one.id, "changed": one.fields}, Idempotent: true,
		})
		if err != nil {
			return found.rows, fmt.Errorf("rewrite a row of the table %s: %w", one.table, domain(err))
		}
	}
	return found.rows, nil
}

// differing is a sink that collects the rows to change.
type differing struct {
	clean   func(string) string
	rows    map[string]int
	changes []rowChange
}

type rowChange struct {
	table  string
	id     cbor.RawMessage
	fields map[string]cbor.RawMessage
}

func (d *differing) Begin(memory.Contents) error { return nil }

func (d *differing) Row(table string, row []byte) error {
	all, changed, err := cleanFields(row, d.clean)
	if err != nil {
		return fmt.Errorf("a row of the table %s: %w", table, err)
	}
	if len(changed) > 0 {
		d.rows[table]++
		d.changes = append(d.changes, rowChange{table, slices.Clone(all["id"]), changed})
	}
	return nil
}

// CleanRow applies clean to every text of a row from a backup, and returns whether the row
// differs.
func CleanRow(row []byte, clean func(string) string) ([]byte, bool, error) {
	all, changed, err := cleanFields(row, clean)
	if err != nil || len(changed) == 0 {
		return row, false, err
	}
	for name, value := range changed {
		all[name] = value
	}
	row, err = cbor.Marshal(all)
	return row, true, err
}

// cleanFields returns all fields of a row, and those that clean changes.
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

// uncount marks a changed text for counting its tokens again.
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

// The major types of CBOR with text. Everything else, such as the id of a record or a
// datetime, stays byte for byte.
const (
	cborText  = 3
	cborArray = 4
	cborMap   = 5
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
