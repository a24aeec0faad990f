package briefing

import (
	"reflect"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestEveryInputOfAStartIsInItsKey sets each field of a start that is no list of rows: the start must have another key. (A start that lacks
// rows is not cached.)
func TestEveryInputOfAStartIsInItsKey(t *testing.T) {
	seen := 0
	for field := range reflect.TypeFor[memory.StartContext]().Fields() {
		if field.Type.Kind() == reflect.Slice || field.Type.Kind() == reflect.Map {
			continue
		}
		seen++
		var rows memory.StartContext
		switch value := reflect.ValueOf(&rows).Elem().FieldByIndex(field.Index); value.Kind() {
		case reflect.Bool:
			value.SetBool(true)
		case reflect.Int, reflect.Int64:
			value.SetInt(7)
		case reflect.String:
			value.SetString("x")
		default:
			t.Fatalf("%s is of a type that this test cannot set: %s", field.Name, field.Type)
		}
		if packingOf(rows, 1) == packingOf(memory.StartContext{}, 1) {
			t.Errorf("%s is not in the key of a packed start: add it to packing and packingOf", field.Name)
		}
	}
	if seen == 0 || packingOf(memory.StartContext{}, 1) == packingOf(memory.StartContext{}, 2) {
		t.Errorf("%d fields are inputs, and the budget must be one", seen)
	}
}
