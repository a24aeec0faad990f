package memory_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// unchanged are the columns of a memory that no run of maintenance changes, so that no undo needs them.
var unchanged = []string{
	"id", "type", "source", "files", "command", "signature", "session", "user_written", "done",
	"exempt", "rejected", "changed_at",
}

func TestAStateHasEveryColumnThatARunChanges(t *testing.T) {
	var want, got []string
	for _, column := range memory.ColumnsOf(reflect.TypeFor[memory.Row]()) {
		if !slices.Contains(unchanged, column.Name) {
			want = append(want, column.Name)
		}
	}
	for _, column := range memory.ColumnsOf(reflect.TypeFor[memory.State]()) {
		got = append(got, column.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	musttest.Same(t, got, want, "the fields (-of a state +changed by a run)")
}

func TestAStateIsTakenFromARowAndGivenBack(t *testing.T) {
	var full memory.State
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i); field.Interface().(type) {
		case time.Time:
			field.Set(reflect.ValueOf(time.Unix(int64(i)+1, 0)))
		case []string:
			field.Set(reflect.ValueOf([]string{v.Type().Field(i).Name}))
		case bool:
			field.SetBool(true)
		case int:
			field.SetInt(int64(i) + 1)
		case float64:
			field.SetFloat(float64(i) + 1)
		default:
			field.SetString(v.Type().Field(i).Name)
		}
	}
	got := memory.Row{}.With(full).State()
	if !reflect.DeepEqual(got, full) {
		t.Errorf("%+v became %+v", full, got)
	}
	names := full.Changed(memory.State{})
	if len(names) != v.NumField() || len(full.Changed(got)) > 0 {
		t.Errorf("changed: %v", names)
	}
	if patched := (memory.State{}).Patch(names, full); !reflect.DeepEqual(patched, full) {
		t.Errorf("patched: %+v", patched)
	}
}
