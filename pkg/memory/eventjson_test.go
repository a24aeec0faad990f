package memory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkJSON compares with encoding/json, up to the escaping of characters in strings.
func checkJSON(t failer, e memory.Event) {
	t.Helper()
	want, err := json.Marshal(e)
	if err != nil {
		t.Fatalf("encode %+v: %v", e, err)
	}
	got, err := e.AppendJSON([]byte("before "))
	if err != nil {
		t.Fatalf("append %+v: %v", e, err)
	}
	got, isBehind := bytes.CutPrefix(got, []byte("before "))
	if diff := cmp.Diff(decoded(t, want), decoded(t, got)); diff != "" || !isBehind {
		t.Fatalf("the event as JSON (-want +got):\n%s", diff)
	}
}

// decoded returns the members of a JSON object by name.
func decoded(t failer, text []byte) (members map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return members
}

func TestAnEventIsWrittenAsEncodingJSONWritesIt(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", "<a & b>", "\x00\x1f\u2028", "\xff\xfe", `"q\`, "ümläut"}))
	rapid.Check(t, func(t *rapid.T) {
		checkJSON(t, memory.Event{
			ID: texts.Draw(t, "id"), At: time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "seconds"), rapid.Int64Range(0, 1e9-1).Draw(t, "nanoseconds")).UTC(),
			Kind: memory.EventKind(texts.Draw(t, "kind")), Project: memory.Project{Key: texts.Draw(t, "key"), Root: texts.Draw(t, "root")},
			Prompt: texts.Draw(t, "prompt"), Output: texts.Draw(t, "output"), Lines: rapid.Int().Draw(t, "lines"),
			ByUser: rapid.Bool().Draw(t, "by user"), Files: rapid.SliceOf(texts).Draw(t, "files"),
		})
	})
}

// A new field of the type must not be missing in the spool.
func TestEveryFieldOfAnEventIsWritten(t *testing.T) {
	var e memory.Event
	fill(reflect.ValueOf(&e).Elem())
	for name, part := range map[string]memory.Event{"an import": {Import: e.Import}, "what was distilled": {Distilled: e.Distilled}} {
		if _, err := part.AppendJSON(nil); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid, as it would be lost", name, err)
		}
	}
	e.Import, e.Distilled = nil, nil // these bypass the spool
	checkJSON(t, e)
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("something")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("a<b"), reflect.ValueOf("x"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

func TestATimeOutsideRFC3339IsAnError(t *testing.T) {
	if text, err := (memory.Event{At: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)}).AppendJSON(nil); err == nil {
		t.Errorf("written as %s", text)
	}
}
