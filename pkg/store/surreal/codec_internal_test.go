package surreal

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb/surrealdb.go/surrealcbor"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// filled returns a row without zero fields.
func filled(t testing.TB) memory.Row {
	t.Helper()
	var row memory.Row
	n := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch v.Kind() {
		case reflect.Struct:
			if v.Type() == timeType {
				v.Set(reflect.ValueOf(time.Unix(int64(n), 0).UTC()))
				return
			}
			for i := range v.NumField() {
				if v.Type().Field(i).Tag.Get("column") != "-" {
					fill(v.Field(i))
				}
			}
		case reflect.String:
			v.SetString(fmt.Sprint("text", n))
		case reflect.Int, reflect.Int64:
			v.SetInt(int64(n))
		case reflect.Float64:
			v.SetFloat(float64(n) + 0.5)
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Slice:
			v.Set(reflect.ValueOf([]string{fmt.Sprint("one", n), "two"}))
		default:
			t.Fatalf("the codec has never seen a %s", v.Type())
		}
	}
	fill(reflect.ValueOf(&row).Elem())
	return row
}

// answered returns rows as in a server's answer.
func answered(t testing.TB, row memory.Row, n int) wire.Results {
	t.Helper()
	stored := rowCodec.row(row)
	stored["id"] = row.Memory.ID
	stored["changed_at"] = int64(row.Cursor)
	rows := make([]any, n)
	for i := range rows {
		rows[i] = stored
	}
	raw := musttest.Get(surrealcbor.Marshal(rows))(t)
	return wire.Results{raw}
}

// TestEveryFieldOfAMemoryIsStoredAndReadBack needs no change for a new field.
func TestEveryFieldOfAMemoryIsStoredAndReadBack(t *testing.T) {
	want := filled(t)
	got, err := rowCodec.decode(answered(t, want, 1), 0)
	if err != nil || len(got) != 1 {
		t.Fatalf("read %d rows, %v", len(got), err)
	}
	musttest.Same(t, want, got[0], "a row is read back (-want +got)")
}

// TestEveryFieldOfARowHasItsColumn compares the structs with the schema. It lists the columns that only the store uses.
func TestEveryFieldOfARowHasItsColumn(t *testing.T) {
	own := map[string][]string{"memory": {"page_order"}, "session": {"summarised", "recency"}, "spend": {"day"}}
	for _, one := range memory.RowTypes() {
		definition, err := os.ReadFile("../../../schema/" + one.Table + ".surql")
		if err != nil {
			t.Error(err)
			continue
		}
		var defined []string
		for _, found := range regexp.MustCompile(`(?m)^DEFINE FIELD (\w+) ON `+one.Table).FindAllStringSubmatch(string(definition), -1) {
			defined = append(defined, found[1])
		}
		known := slices.Clone(own[one.Table])
		for _, column := range one.Columns {
			if isEnd := one.Edges && (column.Name == "in" || column.Name == "out"); column.Name != "id" && !isEnd {
				known = append(known, column.Name)
			}
		}
		slices.Sort(defined)
		slices.Sort(known)
		musttest.Same(t, defined, known, "columns of %s (-schema +structs)", one.Table)
	}
}
