package surreal

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// A codec writes and reads the rows of a table as structs. The columns are the struct's fields, those of structs in it
// included, named by their json tags or by their column tags: "-" is no column. An option may follow the name in a
// column tag: "read" is never written, "optional" is not written where it is empty, "object" is a struct in one column,
// and "of TABLE" is the id of a row of that table. So a new field of the struct is a column of its table without
// further code.
type codec[T any] struct {
	table   string
	columns []column
	record  reflect.Type // the target of the SDK's decoder: it knows no times and cannot decode into embedded structs
}

type column struct {
	name   string
	field  []int // of T
	option string
	of     string // the table of the row whose id it is; empty: it is no id
}

var (
	memoryCodec       = newCodec[memory.Memory]("memory")
	rowCodec          = newCodec[memory.Row]("memory")
	totalCodec        = newCodec[memory.BudgetTotal]("memory")
	sessionCodec      = newCodec[memory.Session]("session")
	promptCodec       = newCodec[memory.Prompt]("prompt")
	sessionEventCodec = newCodec[memory.SessionEvent]("session_event")
	sightingCodec     = newCodec[memory.Sighting]("seen_in")
	injectionCodec    = newCodec[memory.Injection]("injected_in")
	useCodec          = newCodec[memory.Use]("used_in")
	projectCodec      = newCodec[memory.Project]("project")
	projectRowCodec   = newCodec[memory.ProjectRow]("project")
	holdingCodec      = newCodec[memory.ProjectHolding]("project")
	fileCodec         = newCodec[memory.File]("file")
	dayCodec          = newCodec[memory.ActiveDay]("active_day")
	runCodec          = newCodec[memory.Run]("maintenance_run")
	changeCodec       = newCodec[memory.ChangeRecord]("maintenance_action")
	distillationCodec = newCodec[memory.Distillation]("distillation")
	spendCodec        = newCodec[memory.Spend]("spend")
)

var (
	timeType     = reflect.TypeFor[time.Time]()
	datetimeType = reflect.TypeFor[models.CustomDateTime]()
)

func newCodec[T any](table string) codec[T] {
	c := codec[T]{table: table}
	c.add(reflect.TypeFor[T](), nil)
	fields := make([]reflect.StructField, len(c.columns))
	for i, column := range c.columns {
		fields[i] = reflect.StructField{
			Name: "F" + column.name, Type: storedType(reflect.TypeFor[T]().FieldByIndex(column.field).Type),
			Tag: reflect.StructTag(`json:"` + column.name + `"`),
		}
	}
	c.record = reflect.StructOf(fields)
	return c
}

func (c *codec[T]) add(t reflect.Type, at []int) {
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
		case field.Type.Kind() == reflect.Struct && field.Type != timeType && option != "object":
			c.add(field.Type, index)
		default:
			one := column{name: name, field: index, option: option}
			if of, isID := strings.CutPrefix(option, "of "); isID {
				one.of = of
			}
			c.columns = append(c.columns, one)
		}
	}
}

// storedType is the type that a type is stored as: a named type as its underlying one.
func storedType(t reflect.Type) reflect.Type {
	if t == timeType {
		return datetimeType
	}
	switch t.Kind() {
	case reflect.String:
		return reflect.TypeFor[string]()
	case reflect.Int64:
		return reflect.TypeFor[int64]()
	default:
		return t
	}
}

// fields lists the columns for a SELECT, without those named.
func (c codec[T]) fields(without ...string) string {
	var names []string
	for _, column := range c.columns {
		switch {
		case slices.Contains(without, column.name):
		case column.name == "id" || column.of != "":
			names = append(names, "record::id("+column.name+") AS "+column.name)
		default:
			names = append(names, column.name)
		}
	}
	return strings.Join(names, ", ")
}

// row is a value as a row.
func (c codec[T]) row(value T) map[string]any {
	v := reflect.ValueOf(value)
	row := make(map[string]any, len(c.columns)+1)
	for _, column := range c.columns {
		field := v.FieldByIndex(column.field)
		switch {
		case column.option == "read" || column.option == "optional" && field.IsZero():
		case column.name == "id":
			row["id"] = recordID(c.table, field.String())
		case column.of != "":
			row[column.name] = recordID(column.of, field.String())
		case column.option == "object":
			if object := asObject(field.Interface()); len(object) > 0 {
				row[column.name] = object
			}
		case field.Kind() == reflect.Map && field.Len() == 0: // such columns are optional
		default:
			row[column.name] = stored(field)
		}
	}
	return row
}

// rowAs is a value as the row with an id.
func (c codec[T]) rowAs(id string, value T) map[string]any {
	row := c.row(value)
	row["id"] = recordID(c.table, id)
	return row
}

// stored is a field as the SDK encodes it. A nil list is stored as an empty one, and
// the zero time as the epoch: the columns are not optional.
func stored(field reflect.Value) any {
	if field.Type() == timeType {
		return at(field.Interface().(time.Time))
	}
	if field.Kind() == reflect.Slice && field.IsNil() {
		return reflect.MakeSlice(field.Type(), 0, 0).Interface()
	}
	return field.Convert(storedType(field.Type())).Interface()
}

// decode reads the rows of a statement's result; nil if there are none.
func (c codec[T]) decode(result wire.Results, i int) ([]T, error) {
	rows := reflect.New(reflect.SliceOf(c.record))
	if err := result.Decode(i, rows.Interface()); err != nil || rows.Elem().Len() == 0 {
		return nil, err
	}
	values := make([]T, rows.Elem().Len())
	for j := range values {
		c.read(rows.Elem().Index(j), reflect.ValueOf(&values[j]).Elem())
	}
	return values, nil
}

func (c codec[T]) read(record, into reflect.Value) {
	for i, column := range c.columns {
		from, to := record.Field(i), into.FieldByIndex(column.field)
		switch {
		case from.Type() == datetimeType:
			to.Set(reflect.ValueOf(instant(from.Interface().(models.CustomDateTime))))
		case from.Kind() == reflect.Slice && from.Len() == 0:
		default:
			to.Set(from.Convert(to.Type()))
		}
	}
}

func rows[T any](values []T, row func(T) map[string]any) []map[string]any {
	all := make([]map[string]any, 0, len(values))
	for _, v := range values {
		all = append(all, row(v))
	}
	return all
}

func fileRow(f memory.File) map[string]any {
	return fileCodec.rowAs(memory.FileID(f.Project, f.Path), f)
}

func dayRow(d memory.ActiveDay) map[string]any { return dayCodec.rowAs(d.Project+"/"+d.Day, d) }

func useRow(u memory.Use) map[string]any { return useCodec.rowAs(u.Memory+"-"+u.Session, u) }

func spendRow(s memory.Spend) map[string]any {
	row := spendCodec.row(s)
	row["day"] = s.At.UTC().Format(time.DateOnly)
	return row
}

func recordIDs(table string, ids []string) []models.RecordID {
	all := make([]models.RecordID, len(ids))
	for i, id := range ids {
		all[i] = recordID(table, id)
	}
	return all
}

func memoryIDs(ids []string) []models.RecordID { return recordIDs("memory", ids) }

func recordID(table, id string) models.RecordID { return models.NewRecordID(table, id) }

// beginningWith is the range of the ids of a table that begin alike.
func beginningWith(table, beginning string) models.RecordID {
	return models.RecordID{Table: table, ID: &models.Range[string, models.BoundIncluded[string], models.BoundExcluded[string]]{
		Begin: &models.BoundIncluded[string]{Value: beginning},
		End:   &models.BoundExcluded[string]{Value: beginning + "\U0010ffff"},
	}}
}

func at(t time.Time) models.CustomDateTime {
	if t.IsZero() { // a required field: the zero time would be NONE
		t = time.Unix(0, 0)
	}
	return models.CustomDateTime{Time: t}
}

// instant undoes at: the epoch stands for the zero time.
func instant(d models.CustomDateTime) time.Time {
	if d.IsZero() || d.Equal(time.Unix(0, 0)) {
		return time.Time{}
	}
	return d.UTC()
}

// texts makes plain strings of a named string type, which the SDK cannot encode.
func texts[T ~string](values []T) []string {
	plain := make([]string, len(values))
	for i, v := range values {
		plain[i] = string(v)
	}
	return plain
}

func edgeRow(table, from, to string, when time.Time) map[string]any {
	return map[string]any{
		"id": recordID(table, from+"-"+to), "in": recordID("memory", from), "out": recordID("memory", to), "at": at(when),
	}
}

// actionRow is the record of an action. It holds the changed fields as JSON objects, so
// that any field of a state can be in it.
func actionRow(run string, a memory.Action) map[string]any {
	before, after := map[string]any{}, map[string]any{}
	switch {
	case a.Row != nil && a.Kind == memory.ActionRemove:
		before = asObject(a.Row)
	case a.Row != nil:
		after = asObject(a.Row)
	default:
		names := a.After.Changed(a.Before)
		before, after = a.Before.Only(names), a.After.Only(names)
	}
	return map[string]any{
		"id": recordID("maintenance_action", a.ID), "run": recordID("maintenance_run", run),
		"memory": recordID("memory", a.Memory), "kind": a.Kind, "reason": a.Reason, "before": before, "after": after,
	}
}

// asObject converts a value to a JSON object.
func asObject(value any) map[string]any {
	object := map[string]any{}
	data, _ := json.Marshal(value) // states and rows hold nothing that JSON cannot
	_ = json.Unmarshal(data, &object)
	return object
}
