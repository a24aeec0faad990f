package journal

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Record is a committed change of one row. All records of one write, and no others, have the same time. If the row
// existed, Before has only its key.
type Record struct {
	At time.Time // set by Append
	memory.RowChange
}

// Records returns the records of a write, without ephemeral rows.
func Records(w memory.Write) []Record {
	var records []Record
	for _, change := range w.Rows {
		if of, isKnown := memory.RowTypeOf(change.Row()); !isKnown || !of.Ephemeral {
			records = append(records, Record{RowChange: withoutKnownText(change)})
		}
	}
	return records
}

// withoutKnownText returns a change without the memory's text if it archives the memory, so that archived
// text is not written again. It keeps the line that the change adds to the detail, which has the reason. An earlier
// record or backup has the text; if there is none, a rebuild leaves the memory out.
func withoutKnownText(c memory.RowChange) memory.RowChange {
	before, wasMemory := c.Before.(memory.Row)
	after, isMemory := c.After.(memory.Row)
	if wasMemory && isMemory && after.Memory.Status == memory.StatusArchived && before.Memory.Status != after.Memory.Status && before.Memory.Content == after.Memory.Content {
		after.Memory.Content, after.Memory.Detail = "", strings.TrimSuffix(after.Memory.Detail, before.Memory.Detail)
		c.After = after
	}
	return c
}

// line is the JSON form of a record. Sum is the CRC-32 (IEEE) of the row's bytes, which detects damaged lines.
type line struct {
	At    time.Time       `json:"at"`
	Table string          `json:"table"`
	Was   bool            `json:"was,omitempty"`  // the row existed before
	Gone  bool            `json:"gone,omitempty"` // the row was deleted; Row is its key
	Sum   uint32          `json:"sum"`
	Row   json.RawMessage `json:"row"`
}

func encode(r Record) ([]byte, error) {
	row := r.Row()
	of, isKnown := memory.RowTypeOf(row)
	if !isKnown {
		return nil, fmt.Errorf("encode a record of the type %T: %w", row, memory.ErrInvalid)
	}
	if r.After == nil {
		row = of.OnlyKey(row)
	}
	raw, err := json.Marshal(row)
	if err != nil {
		return nil, fmt.Errorf("encode a row of %s: %w", of.Table, err)
	}
	text, err := json.Marshal(line{
		At: r.At, Table: of.Table, Was: r.Before != nil, Gone: r.After == nil, Sum: crc32.ChecksumIEEE(raw), Row: raw,
	})
	if err != nil {
		return nil, fmt.Errorf("encode a row of %s: %w", of.Table, err)
	}
	return append(text, '\n'), nil
}

func decode(text []byte) (Record, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Record{}, err
	}
	if sum := crc32.ChecksumIEEE(l.Row); sum != l.Sum {
		return Record{}, fmt.Errorf("its checksum is %08x instead of %08x", sum, l.Sum)
	}
	of, isKnown := memory.RowTypeIn(l.Table)
	if !isKnown {
		return Record{}, fmt.Errorf("this version has no table %q", l.Table)
	}
	row, err := of.Decode(l.Row)
	if err != nil {
		return Record{}, err
	}
	r := Record{At: l.At}
	if l.Was {
		r.Before = of.OnlyKey(row)
	}
	if !l.Gone {
		r.After = row
	}
	return r, nil
}
