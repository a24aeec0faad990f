package surreal

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// A codec writes and reads the columns of a struct. The columns are its fields, those
// of structs in it included, named by their json tags or by their column tags: "-" is no
// column, and "read" follows the name of one that is never written. So a new field of the struct is a
// column of its table without further code.
type codec[T any] struct {
	columns []column
	record  reflect.Type // the target of the SDK's decoder: it knows no times and cannot decode into embedded structs
}

type column struct {
	name     string
	field    []int // of T
	readOnly bool
}

var (
	memoryCodec = newCodec[memory.Memory]()
	rowCodec    = newCodec[memory.Row]()
	stateCodec  = newCodec[memory.State]()
)

var (
	timeType     = reflect.TypeFor[time.Time]()
	datetimeType = reflect.TypeFor[models.CustomDateTime]()
)

func newCodec[T any]() codec[T] {
	var c codec[T]
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
		if field.Type.Kind() == reflect.Struct && field.Type != timeType {
			c.add(field.Type, index)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		options := ""
		if tag := field.Tag.Get("column"); tag != "" {
			name, options, _ = strings.Cut(tag, ",")
		}
		if name == "-" {
			continue
		}
		c.columns = append(c.columns, column{name, index, options == "read"})
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
		case column.name == "id":
			names = append(names, "record::id(id) AS id")
		case column.name == "author": // an owner cannot be forged
			names = append(names, "IF owner = NONE OR owner = $auth.name THEN author ELSE owner END AS author")
		default:
			names = append(names, column.name)
		}
	}
	return strings.Join(names, ", ")
}

// row is a value as a row; its id is its table's.
func (c codec[T]) row(table string, value T) map[string]any {
	v := reflect.ValueOf(value)
	row := make(map[string]any, len(c.columns)+1)
	for _, column := range c.columns {
		if column.readOnly {
			continue
		}
		field := v.FieldByIndex(column.field)
		if column.name == "id" {
			row["id"] = recordID(table, field.String())
			continue
		}
		if field.Kind() == reflect.Map && field.Len() == 0 { // such columns are optional
			continue
		}
		row[column.name] = stored(field)
	}
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
