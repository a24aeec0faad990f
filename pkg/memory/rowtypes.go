package memory

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// RowType describes the rows of one table to stores, the journal, repeated writes and purges. Its entry in allRowTypes is
// all that a new type needs; the columns come from the tags of the struct's fields.
type RowType struct {
	Table   string
	Columns []Column
	// Edges lead from one row to another, by the columns in and out.
	Edges bool
	// OnConflict is the fate of a new row whose id is there.
	OnConflict OnConflict
	// Compared are the columns that must be as they were when a row is changed or deleted. Without any, a
	// changed row is written whole, and neither is compared.
	Compared []string
	// Ephemeral rows may be lost: they are in no journal.
	Ephemeral bool

	of reflect.Type
}

// OnConflict is the fate of a new row whose id is there.
type OnConflict int

// The row that is there stays, or it is replaced, or the write is refused: ErrConflict.
const (
	ConflictIgnored OnConflict = iota
	ConflictReplaces
	ConflictRefused
)

// rowTypes are made when they are first asked for: hooks, which start often, never do, and are linked without them.
var rowTypes struct {
	once sync.Once
	all  []*RowType
}

// allRowTypes has small tables before large ones: a row that is there already has the engine undo all that the
// transaction has written and do it again.
func allRowTypes() []*RowType {
	return []*RowType{
		rowType[ProjectRow](RowType{Table: "project", OnConflict: ConflictRefused, Compared: []string{"seen_at", "given_name", "merged_into"}}),
		rowType[ActiveDay](RowType{Table: "active_day"}),
		rowType[File](RowType{Table: "file"}),
		rowType[Prompt](RowType{Table: "prompt"}),
		rowType[SessionEvent](RowType{Table: "session_event"}),
		rowType[Session](RowType{Table: "session", OnConflict: ConflictRefused, Compared: []string{"state", "state_at", "source_at", "started_at", "last_event_at"}}),
		rowType[Row](RowType{Table: "memory", OnConflict: ConflictRefused, Compared: []string{"changed_at"}}),
		rowType[Sighting](RowType{Table: "seen_in"}),
		rowType[Injection](RowType{Table: "injected_in", Ephemeral: true}),
		rowType[Derivation](RowType{Table: "derived_from"}),
		rowType[Supersession](RowType{Table: "supersedes"}),
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

// RowTypes are all types of rows, in the order in which a write has their rows.
func RowTypes() []*RowType {
	rowTypes.once.Do(func() { rowTypes.all = allRowTypes() })
	return rowTypes.all
}

// RowTypeOf is the type of a row.
func RowTypeOf(row any) (*RowType, bool) {
	return rowTypeWith(func(t *RowType) bool { return t.of == reflect.TypeOf(row) })
}

// RowTypeIn is the type of the rows of a table.
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

// Zero is a row without anything.
func (t *RowType) Zero() any { return reflect.Zero(t.of).Interface() }

// Decode reads a row that was written as JSON.
func (t *RowType) Decode(text []byte) (any, error) {
	row := reflect.New(t.of)
	err := json.Unmarshal(text, row.Interface())
	return row.Elem().Interface(), err
}

// ID is the id of a row in its table.
func (t *RowType) ID(row any) string {
	switch row := row.(type) {
	case ActiveDay:
		return row.Project + "/" + row.Day
	case File:
		return FileID(row.Project, row.Path)
	}
	if t.Edges && t.column("id") == nil {
		return t.text(row, "in") + "-" + t.text(row, "out")
	}
	return t.text(row, "id")
}

// OnlyKey is the row with its key only, or all of it if it has no id of its own.
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

// Subject is the project, session and memories that a row belongs to.
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

// In is a row in another project; false if rows name none, or have it as their id.
func (t *RowType) In(row any, project string) (any, bool) {
	column := t.column("project")
	if column == nil {
		return row, false
	}
	moved := reflect.New(t.of).Elem()
	moved.Set(reflect.ValueOf(row))
	moved.FieldByIndex(column.Field).SetString(project)
	return moved.Interface(), true
}

func (t *RowType) column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// text is the text in a column of a row.
func (t *RowType) text(row any, column string) string {
	return reflect.ValueOf(row).FieldByIndex(t.column(column).Field).String()
}

// Column is a column of a table. The columns of a struct are its fields, those of structs in it included, named by their
// json tags or by their column tags: "-" is no column. An option may follow the name in a column tag: "read" is never
// written, "optional" is not written where it is empty, "object" is a struct in one column, and "of TABLE" is the id of
// a row of that table. So a new field of the struct is a column of its table without further code.
type Column struct {
	Name   string
	Field  []int // of the struct
	Option string
	Of     string // the table of the row whose id it is; empty: it is no id
}

// ColumnsOf are the columns of a struct.
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
