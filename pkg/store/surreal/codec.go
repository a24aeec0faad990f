package surreal

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// A codec reads the rows of a table into structs; see memory.Column.
type codec[T any] struct {
	shape
	all    string       // the columns for a SELECT
	record reflect.Type // the struct type that the SDK decodes into, with one field for each column
}

// A shape writes structs as rows of a table.
type shape struct {
	table   string
	columns []memory.Column
}

var (
	memoryCodec       = newCodec[memory.Memory]("memory")
	rowCodec          = newCodec[memory.Row]("memory")
	sessionCodec      = newCodec[memory.Session]("session")
	promptCodec       = newCodec[memory.Prompt]("prompt")
	eventCodec        = newCodec[memory.EventRow]("event")
	sightingCodec     = newCodec[memory.Sighting]("seen_in")
	injectionCodec    = newCodec[memory.Injection]("injected_in")
	useCodec          = newCodec[memory.Use]("used_in")
	projectCodec      = newCodec[memory.Project]("project")
	projectRowCodec   = newCodec[memory.ProjectRow]("project")
	holdingCodec      = newCodec[memory.ProjectHolding]("project")
	runCodec          = newCodec[memory.Run]("maintenance_run")
	actionCodec       = newCodec[onlyID]("maintenance_action")
	changeCodec       = newCodec[memory.ChangeRecord]("maintenance_action")
	decisionCodec     = newCodec[memory.Decision]("maintenance_action")
	jobCodec          = newCodec[memory.JobState]("maintenance_job")
	distillationCodec = newCodec[memory.Distillation]("distillation")
	historyCodec      = newCodec[migrate.Applied]("migration_history")
)

// onlyID has the id of a row and no other field.
type onlyID struct {
	ID string `json:"id"`
}

var timeType = reflect.TypeFor[time.Time]()

func newCodec[T any](table string) codec[T] {
	of := reflect.TypeFor[T]()
	c := codec[T]{shape: shape{table, memory.ColumnsOf(of)}}
	fields := memory.Each(c.columns, func(column memory.Column) reflect.StructField {
		return reflect.StructField{Name: "F" + column.Name, Type: of.FieldByIndex(column.Field).Type, Tag: reflect.StructTag(`json:"` + column.Name + `"`)}
	})
	c.all, c.record = c.fields(), reflect.StructOf(fields)
	return c
}

// fields lists the columns for a SELECT, without the given names.
func (s shape) fields(without ...string) string {
	var names []string
	for _, column := range s.columns {
		switch {
		case slices.Contains(without, column.Name):
		case column.Name == "id" || column.Of != "":
			names = append(names, "record::id("+column.Name+") AS "+column.Name)
		default:
			names = append(names, column.Name)
		}
	}
	return strings.Join(names, ", ")
}

// row returns a struct as a row without its ID.
func (s shape) row(value any) map[string]any {
	v := reflect.ValueOf(value)
	row := make(map[string]any, len(s.columns)+1)
	for _, column := range s.columns {
		field := v.FieldByIndex(column.Field)
		switch {
		case column.Name == "id" || column.Option == "read" || column.Option == "optional" && field.IsZero():
		case column.Of != "":
			row[column.Name] = recordID(column.Of, field.String())
		case column.Option == "object":
			if object := asObject(field.Interface()); len(object) > 0 {
				row[column.Name] = object
			}
		default:
			row[column.Name] = stored(field)
		}
	}
	return row
}

// differences returns the columns that differ between two rows, with the values of to.
func (s shape) differences(from, to any) map[string]any {
	before, after := reflect.ValueOf(from), reflect.ValueOf(to)
	set := map[string]any{}
	var row map[string]any
	for _, column := range s.columns {
		a, b := before.FieldByIndex(column.Field), after.FieldByIndex(column.Field)
		if column.Option == "read" || memory.SameStored(a, b) {
			continue
		}
		if row == nil {
			row = s.row(to)
		}
		value, isThere := row[column.Name]
		if !isThere {
			value = models.None
		}
		set[column.Name] = value
	}
	return set
}

// stored returns a field in the form that the SDK encodes. Columns are not optional, so a nil list becomes an empty
// list, and the zero time becomes the epoch.
func stored(field reflect.Value) any {
	switch {
	case field.Type() == timeType:
		return at(field.Interface().(time.Time))
	case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
		return objects(field)
	case field.Kind() == reflect.Slice && field.IsNil():
		return reflect.MakeSlice(field.Type(), 0, 0).Interface()
	}
	return field.Interface()
}

// objects returns a list of structs as objects without their zero fields.
func objects(list reflect.Value) []map[string]any {
	columns, all := memory.ColumnsOf(list.Type().Elem()), make([]map[string]any, list.Len())
	for i := range all {
		all[i] = map[string]any{}
		for _, column := range columns {
			if field := list.Index(i).FieldByIndex(column.Field); !field.IsZero() {
				all[i][column.Name] = stored(field)
			}
		}
	}
	return all
}

// decode returns the rows in the result of statement i, or nil if there are none.
func (c codec[T]) decode(result wire.Results, i int) ([]T, error) {
	rows := reflect.New(reflect.SliceOf(c.record))
	if err := result.Decode(i, rows.Interface()); err != nil || rows.Elem().Len() == 0 {
		return nil, err
	}
	values := make([]T, rows.Elem().Len())
	for j := range values {
		into := reflect.ValueOf(&values[j]).Elem()
		for k, column := range c.columns {
			switch from, to := rows.Elem().Index(j).Field(k), into.FieldByIndex(column.Field); {
			case from.Type() == timeType:
				to.Set(reflect.ValueOf(instant(from.Interface().(time.Time))))
			case from.Kind() != reflect.Slice || from.Len() > 0:
				to.Set(from)
			}
		}
	}
	return values, nil
}

func recordIDs(table string, ids []string) []models.RecordID {
	return memory.Each(ids, func(id string) models.RecordID { return recordID(table, id) })
}

func memoryIDs(ids []string) []models.RecordID { return recordIDs("memory", ids) }

func recordID(table, id string) models.RecordID { return models.NewRecordID(table, id) }

// beginningWith returns the range of a table's IDs that have a common beginning.
func beginningWith(table, beginning string) models.RecordID {
	return models.RecordID{Table: table, ID: &models.Range[string, models.BoundIncluded[string], models.BoundExcluded[string]]{
		Begin: &models.BoundIncluded[string]{Value: beginning},
		End:   &models.BoundExcluded[string]{Value: beginning + "\U0010ffff"},
	}}
}

func at(t time.Time) models.CustomDateTime {
	if t.IsZero() { // the column is required, and the zero time would be encoded as NONE
		t = time.Unix(0, 0)
	}
	return models.CustomDateTime{Time: t}
}

// instant reverses at: it returns the zero time for the epoch.
func instant(t time.Time) time.Time {
	if t.Equal(time.Unix(0, 0)) {
		return time.Time{}
	}
	return t
}

// actionRow returns the row of an action. The changed fields are JSON objects, so any field of a state can be recorded.
func actionRow(run string, a memory.Action) map[string]any {
	before, after := a.Recorded()
	return map[string]any{
		"id": recordID("maintenance_action", a.ID), "run": recordID("maintenance_run", run),
		"memory": recordID("memory", a.Memory), "kind": a.Kind, "reason": a.Reason, "before": before, "after": after,
	}
}

func asObject(value any) map[string]any {
	object := map[string]any{}
	data, _ := json.Marshal(value) // states and rows can always be encoded
	_ = json.Unmarshal(data, &object)
	return object
}
