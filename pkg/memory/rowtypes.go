package memory

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// RowType describes the rows of a table to stores, the journal, repeated writes and purges. A new type needs only an
// entry in allRowTypes; the columns follow from the tags of the struct's fields.
type RowType struct {
	Table   string
	Columns []Column
	// Edges marks a table whose rows connect two other rows, by the columns in and out.
	Edges      bool
	OnConflict OnConflict
	// Compared lists the columns that must be unchanged since a row was read, when it is changed or deleted. If empty,
	// changed rows are written whole, without a comparison.
	Compared []string
	// Ephemeral rows may be lost: the journal leaves them out.
	Ephemeral bool

	of reflect.Type
}

// OnConflict says what becomes of a new row if there is a row with its id already.
type OnConflict int

// The existing row stays, or is replaced, or the write fails with ErrConflict.
const (
	ConflictIgnored OnConflict = iota
	ConflictReplaces
	ConflictRefused
)

// rowTypes is built on first use: hook programs do not use it, so they do not link its code.
var rowTypes struct {
	once sync.Once
	all  []*RowType
}

// allRowTypes lists small tables before large ones: when a row exists already, the engine repeats the whole transaction, and
// with this order it notices early.
func allRowTypes() []*RowType {
	return []*RowType{
		rowType[ProjectRow](RowType{
			Table: "project", OnConflict: ConflictRefused,
			Compared: []string{"seen_at", "merged_into"},
		}),
		rowType[ActiveDay](RowType{Table: "active_day"}),
		rowType[Prompt](RowType{Table: "prompt"}),
		rowType[EventRow](RowType{Table: "event"}),
		rowType[Session](RowType{
			Table: "session", OnConflict: ConflictRefused,
			Compared: []string{"state", "state_at", "source_at", "started_at", "last_event_at"},
		}),
		rowType[Row](RowType{Table: "memory", OnConflict: ConflictRefused, Compared: []string{"changed_at"}}),
		rowType[Sighting](RowType{Table: "seen_in"}),
		rowType[Injection](RowType{Table: "injected_in", Ephemeral: true}),
		rowType[Use](RowType{Table: "used_in", OnConflict: ConflictRefused}),
		rowType[Run](RowType{Table: "maintenance_run", OnConflict: ConflictRefused}),
		rowType[Distillation](RowType{Table: "distillation", OnConflict: ConflictReplaces}),
		rowType[Spend](RowType{Table: "spend", OnConflict: ConflictReplaces}),
	}
}

func rowType[T any](t RowType) *RowType {
	t.of = reflect.TypeFor[T]()
	t.Columns = ColumnsOf(t.of)
	t.Edges = slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == "out" })
	return &t
}

// RowTypes returns all types of rows, in the order of a write.
func RowTypes() []*RowType {
	rowTypes.once.Do(func() { rowTypes.all = allRowTypes() })
	return rowTypes.all
}

func RowTypeOf(row any) (*RowType, bool) {
	return rowTypeWith(func(t *RowType) bool { return t.of == reflect.TypeOf(row) })
}

func RowTypeIn(table string) (*RowType, bool) {
	return rowTypeWith(func(t *RowType) bool { return t.Table == table })
}

func rowTypeWith(is func(*RowType) bool) (*RowType, bool) {
	all := RowTypes()
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

func (t *RowType) Zero() any { return reflect.Zero(t.of).Interface() }

// Decode reads a row from JSON. It ignores members that do not fit their fields, so that one odd value does not cost the row. It
// fails only if the text is not JSON, or if a member does not fit and the row has no id that can be read.
func (t *RowType) Decode(text []byte) (any, error) {
	row := reflect.New(t.of)
	err := json.Unmarshal(text, row.Interface())
	if err != nil {
		row = reflect.New(t.of)
		keepMembers(text, nil, row)
	}
	if id := t.column("id"); id == nil || row.Elem().FieldByIndex(id.Field).IsZero() {
		return row.Elem().Interface(), err
	}
	return row.Elem().Interface(), nil
}

// keepMembers reads into row each member of an object that fits. If a member is an object that does not fit, it reads the fitting
// members of that object. The object is the value at the path in the row's text.
func keepMembers(object []byte, path []string, row reflect.Value) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(object, &members) // a value that is not an object has no members
	for _, name := range slices.Sorted(maps.Keys(members)) {
		at := append(slices.Clone(path), name)
		text := []byte(members[name])
		for _, outer := range slices.Backward(at) {
			text, _ = json.Marshal(map[string]json.RawMessage{outer: text}) // cannot fail: text is valid JSON
		}
		if json.Unmarshal(text, reflect.New(row.Type().Elem()).Interface()) != nil {
			keepMembers(members[name], at, row)
			continue
		}
		_ = json.Unmarshal(text, row.Interface()) // cannot fail: it has just worked with a new row
	}
}

func (t *RowType) ID(row any) string {
	if day, isDay := row.(ActiveDay); isDay {
		return day.Project + "/" + day.Day
	}
	if t.Edges && t.column("id") == nil {
		return t.text(row, "in") + "-" + t.text(row, "out")
	}
	return t.text(row, "id")
}

// OnlyKey returns the row reduced to its key, or the whole row if it has no id of its own.
func (t *RowType) OnlyKey(row any) any {
	id := t.column("id")
	if id == nil {
		return row
	}
	bare := reflect.New(t.of).Elem()
	bare.FieldByIndex(id.Field).SetString(t.text(row, "id"))
	return bare.Interface()
}

// Subject is the project, session and memories of a row.
type Subject struct {
	Project, Session string // empty for none
	Memories         []string
}

// Subject returns the project, session and memories that a row belongs to.
func (t *RowType) Subject(row any) (s Subject) {
	for _, c := range t.Columns {
		switch {
		case c.Of == "memory":
			s.Memories = append(s.Memories, t.text(row, c.Name))
		case c.Of == "session":
			s.Session = t.text(row, c.Name)
		case c.Of == "project" || c.Name == "project":
			s.Project = t.text(row, c.Name)
		}
	}
	return s
}

func (t *RowType) column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

func (t *RowType) text(row any, column string) string {
	return reflect.ValueOf(row).FieldByIndex(t.column(column).Field).String()
}

// Column is a column of a table. The columns of a struct are its fields, including those of embedded structs, named
// by their json or column tags; a field tagged "-" has no column. A column tag may have an option: "read" is never
// written, "optional" is written unless empty, "object" stores a struct in one column, and "of TABLE" holds the id of
// a row in that table. A new field of the struct therefore needs no further code.
type Column struct {
	Name   string
	Field  []int // index of the field in the struct
	Option string
	Of     string // the table whose row the id names; empty: the column has no id
}

func ColumnsOf(t reflect.Type) []Column { return columnsIn(t, nil) }

func columnsIn(t reflect.Type, at []int) (all []Column) {
	for i := range t.NumField() {
		field := t.Field(i)
		index := append(slices.Clone(at), i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		option := ""
		if tag := field.Tag.Get("column"); tag != "" {
			name, option, _ = strings.Cut(tag, ",")
		}
		switch {
		case name == "-":
		case field.Type.Kind() == reflect.Struct && field.Type != reflect.TypeFor[time.Time]() && option != "object":
			all = append(all, columnsIn(field.Type, index)...)
		default:
			of, _ := strings.CutPrefix(option, "of ")
			if of == option {
				of = ""
			}
			all = append(all, Column{Name: name, Field: index, Option: option, Of: of})
		}
	}
	return all
}
