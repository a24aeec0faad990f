package describe

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

func valueOf(t testing.TB, text string) hookio.Value {
	t.Helper()
	input, _ := hookio.Decode(strings.NewReader(`{"hook_event_name":"PostToolUse","tool_response":` + text + `}`))
	return input.ToolResponse
}

func TestGistIsAPersonsGist(t *testing.T) {
	long := strings.Repeat("x", maxToolInput+1)
	for text, want := range map[string]string{
		`"done"`: "done",
		`[{"type":"text","text":"one"},{"type":"text","text":"two"}]`: "one two",
		`[]`: "",
		`{"query":"ports","limit":5,"deep":{"a":"b"},"empty":"","long":"` + long + `","last":"x"}`: "query: ports, last: x",
		`{"text":"` + long + `","type":"text"}`:                                                    long,
		`7`:                                                                                        "",
		`null`:                                                                                     "",
		`[["a",["b"]],"c",{"x":"d"}]`:                                                              "a b c x: d",
	} {
		if got := gist(valueOf(t, text)); got != want {
			t.Errorf("%.80s: %q, want %q", text, got, want)
		}
	}
}

// FuzzGist: every value has a gist, of whole characters and nothing but its own
// words.
func FuzzGist(f *testing.F) {
	for _, text := range []string{
		`"a"`, `["a",{"type":"text","text":"b"}]`, `{"a":"b","c":["d"]}`, `{"text":"<private>x</private>"}`, `{"text":5}`, `[[[[[[1]]]]]]`,
		`{"a`, `"\ud800"`, "\"\xff\"", `{"":""}`, `[{"text":""},{"text":"x","text":"y"}]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := valueOf(t, text)
		got := gist(v)
		if !utf8.ValidString(got) {
			t.Fatalf("%q gives %q", text, got)
		}
		if v.Kind == hookio.String && got != v.Text {
			t.Fatalf("the text %q became %q", v.Text, got)
		}
		quoted, err := json.Marshal(strings.ToValidUTF8(text, ""))
		if err != nil {
			t.Fatal(err)
		}
		if plain := valueOf(t, string(quoted)); gist(valueOf(t, "["+string(quoted)+"]")) != plain.Text {
			t.Fatalf("%q is not the gist of a list of itself", plain.Text)
		}
	})
}
