package journal

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"reflect"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Record is a change of one row of the store, as it was committed. The records of one write have the
// same time, and no other records have it. Of a row that was there Before has the key only.
type Record struct {
	At time.Time // when it was journaled; Append sets it
	memory.RowChange
}

// Records are the records of a write. Injections may be lost, and are in no journal.
func Records(w memory.Write) []Record {
	var records []Record
	for _, change := range w.Rows {
		if _, isInjection := change.After.(memory.Injection); !isInjection {
			records = append(records, Record{RowChange: change})
		}
	}
	return records
}

// row is the row of a record as it becomes, or else the one that is deleted.
func (r Record) row() any {
	if r.After != nil {
		return r.After
	}
	return r.Before
}

// line is a record as it is written. Sum is the CRC-32 (IEEE) of the row's bytes, so
// that a damaged line is detected.
type line struct {
	At    time.Time       `json:"at"`
	Table string          `json:"table"`
	Was   bool            `json:"was,omitempty"`  // the row was there
	Gone  bool            `json:"gone,omitempty"` // it is deleted; its key is written
	Sum   uint32          `json:"sum"`
	Row   json.RawMessage `json:"row"`
}

// table is a kind of rows.
type table struct {
	name   string
	decode func(text []byte) (any, error)
	key    func(row any) any // the row with its key only
}

func tableOf[T any](name string, key func(T) T) table {
	return table{
		name: name,
		decode: func(text []byte) (any, error) {
			var row T
			err := json.Unmarshal(text, &row)
			return row, err
		},
		key: func(row any) any { return key(row.(T)) },
	}
}

func whole[T any](row T) T { return row }

// tables are the kinds of rows, by the types of their values.
var tables = map[reflect.Type]table{
	reflect.TypeFor[memory.ProjectRow](): tableOf("project", func(p memory.ProjectRow) memory.ProjectRow {
		return memory.ProjectRow{Project: memory.Project{Key: p.Key}}
	}),
	reflect.TypeFor[memory.ActiveDay]():    tableOf("active_day", whole[memory.ActiveDay]),
	reflect.TypeFor[memory.File]():         tableOf("file", whole[memory.File]),
	reflect.TypeFor[memory.Prompt]():       tableOf("prompt", func(p memory.Prompt) memory.Prompt { return memory.Prompt{ID: p.ID} }),
	reflect.TypeFor[memory.SessionEvent](): tableOf("session_event", func(e memory.SessionEvent) memory.SessionEvent { return memory.SessionEvent{ID: e.ID} }),
	reflect.TypeFor[memory.Session]():      tableOf("session", func(s memory.Session) memory.Session { return memory.Session{ID: s.ID} }),
	reflect.TypeFor[memory.Row](): tableOf("memory", func(r memory.Row) memory.Row {
		return memory.Row{Memory: memory.Memory{ID: r.Memory.ID}}
	}),
	reflect.TypeFor[memory.Sighting]():     tableOf("seen_in", whole[memory.Sighting]),
	reflect.TypeFor[memory.Derivation]():   tableOf("derived_from", whole[memory.Derivation]),
	reflect.TypeFor[memory.Supersession](): tableOf("supersedes", whole[memory.Supersession]),
	reflect.TypeFor[memory.Use]():          tableOf("used_in", whole[memory.Use]),
	reflect.TypeFor[memory.Distillation](): tableOf("distillation", func(d memory.Distillation) memory.Distillation { return memory.Distillation{Session: d.Session} }),
	reflect.TypeFor[memory.Spend]():        tableOf("spend", func(s memory.Spend) memory.Spend { return memory.Spend{ID: s.ID} }),
	reflect.TypeFor[memory.Run]():          tableOf("maintenance_run", func(r memory.Run) memory.Run { return memory.Run{ID: r.ID} }),
}

// named are the tables by their names.
var named = func() map[string]table {
	all := map[string]table{}
	for _, one := range tables {
		all[one.name] = one
	}
	return all
}()

func encode(r Record) ([]byte, error) {
	row := r.row()
	of, isKnown := tables[reflect.TypeOf(row)]
	if !isKnown {
		return nil, fmt.Errorf("encode a record of the type %T: %w", row, memory.ErrInvalid)
	}
	if r.After == nil {
		row = of.key(row)
	}
	raw, err := json.Marshal(row)
	if err != nil {
		return nil, fmt.Errorf("encode a row of %s: %w", of.name, err)
	}
	text, err := json.Marshal(line{
		At: r.At, Table: of.name, Was: r.Before != nil, Gone: r.After == nil, Sum: crc32.ChecksumIEEE(raw), Row: raw,
	})
	if err != nil {
		return nil, fmt.Errorf("encode a row of %s: %w", of.name, err)
	}
	return append(text, '\n'), nil
}

func decode(text []byte) (Record, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Record{}, err
	}
	if sum := crc32.ChecksumIEEE(l.Row); sum != l.Sum {
		return Record{}, fmt.Errorf("its checksum is %08x, written was %08x", sum, l.Sum)
	}
	of, isKnown := named[l.Table]
	if !isKnown {
		return Record{}, fmt.Errorf("its table %q is not known to this version", l.Table)
	}
	row, err := of.decode(l.Row)
	if err != nil {
		return Record{}, err
	}
	r := Record{At: l.At}
	if l.Was {
		r.Before = of.key(row)
	}
	if !l.Gone {
		r.After = row
	}
	return r, nil
}
