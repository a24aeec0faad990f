package memory_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// fill sets every field of a value to something that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
	}
}

// without returns the JSON of a row without the member at a path, and with it replaced by odd in raw.
func without(t *testing.T, row []byte, path []string, odd any) (rest map[string]any, raw []byte) {
	t.Helper()
	for range 2 {
		rest = map[string]any{}
		musttest.Do(t, json.Unmarshal(row, &rest))
		at := rest
		for _, name := range path[:len(path)-1] {
			at = at[name].(map[string]any)
		}
		last := path[len(path)-1]
		if raw != nil {
			delete(at, last)
			return rest, raw
		}
		at[last] = odd
		raw, _ = json.Marshal(rest)
	}
	return rest, raw
}

// paths returns the paths of all members of an object, those of objects within it too.
func paths(object map[string]any, within ...string) (all [][]string) {
	for name, value := range object {
		at := append(slices.Clone(within), name)
		all = append(all, at)
		if inner, isObject := value.(map[string]any); isObject {
			all = append(all, paths(inner, at...)...)
		}
	}
	return all
}

func TestAnOddValueCostsNoOtherField(t *testing.T) {
	t.Parallel()
	odd := []any{nil, 7.5, -1e300, "later", true, []any{1, "x", nil}, map[string]any{"a": map[string]any{"b": []any{}}}, strings.Repeat("[", 3)}
	tried := 0
	for _, of := range memory.RowTypes() {
		if !slices.ContainsFunc(of.Columns, func(c memory.Column) bool { return c.Name == "id" }) {
			continue // all that such a row has is its key
		}
		row := reflect.New(reflect.TypeOf(of.Zero())).Elem()
		fill(row)
		text := musttest.Get(json.Marshal(row.Interface()))(t)
		var whole map[string]any
		musttest.Do(t, json.Unmarshal(text, &whole))
		for _, path := range paths(whole) {
			if slices.Contains([]string{"memory memory", "memory memory id", "project key", "distillation session"}, strings.Join(append([]string{of.Table}, path...), " ")) || path[0] == "id" {
				continue // the key
			}
			for _, value := range odd {
				want, raw := without(t, text, path, value)
				got, err := of.Decode(raw)
				if err != nil {
					t.Errorf("%s, %v = %v: %v", of.Table, path, value, err)
					continue
				}
				back, _ := json.Marshal(got)
				rest, _ := without(t, back, path, nil)
				if !reflect.DeepEqual(want, rest) {
					t.Errorf("%s, %v = %v (-want +got):\n%s", of.Table, path, value, cmp.Diff(want, rest))
				}
				tried++
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d odd values were tried", tried)
	}
}

func TestARowWithoutItsIDIsNone(t *testing.T) {
	t.Parallel()
	of, _ := memory.RowTypeIn("memory")
	for _, text := range []string{`{"memory":{"id":5,"content":"x"}}`, `{"memory":"m"}`, `[]`, `{"memory":{"id":"m"`} {
		if row, err := of.Decode([]byte(text)); err == nil {
			t.Errorf("Decode(%s) = %+v, want an error", text, row)
		}
	}
}
