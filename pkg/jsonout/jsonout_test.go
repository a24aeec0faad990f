package jsonout_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/jsonout"
)

func FuzzAQuotedTextIsReadAsItWas(f *testing.F) {
	for _, text := range []string{"", "plain", "<a & b>", "\x00\x1f\x7f\b\f\n\r\t", "\u2028\u2029", "\xff\xfe", `"q\`, "ümläut 😀"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := jsonout.AppendQuoted([]byte("["), text)
		written, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var got, want string
		if err := json.Unmarshal(quoted[1:], &got); err != nil || quoted[0] != '[' {
			t.Fatalf("%s: %v", quoted, err)
		}
		if err := json.Unmarshal(written, &want); err != nil || got != want {
			t.Errorf("%q is read as %q, encoding/json's as %q, %v", text, got, want, err)
		}
	})
}

func TestMembersAreWrittenAsTheyAreCalled(t *testing.T) {
	o := jsonout.Append([]byte("before "))
	if !o.IsEmpty() {
		t.Error("an object without members is not empty")
	}
	o.Text("text", "")
	o.Given("given", "x")
	o.Given("not given", "")
	o.List("list", []string{"a", `"`})
	o.List("no list", nil)
	o.Number("number", 0)
	o.Count("count", -2)
	o.Count("no count", 0)
	o.Flag("flag", true)
	o.Flag("no flag", false)
	o.Time("time", time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC))
	o.Inside("inside", func(o *jsonout.Object) { o.Text("a\nb", "c") })
	got, err := o.End()
	want := `before {"text":"","given":"x","list":["a","\""],"number":0,"count":-2,"flag":true,"time":"2026-01-02T03:04:05.000000006Z","inside":{"a\nb":"c"}}`
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestATimeThatCannotBeExpressedIsAnError(t *testing.T) {
	o := jsonout.Append(nil)
	o.Time("at", time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC))
	if got, err := o.End(); err == nil {
		t.Errorf("written is %s", got)
	}
}
