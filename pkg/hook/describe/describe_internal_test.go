package describe

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
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
		musttest.Same(t, want, gist(valueOf(t, text)), "%.80s", text)
	}
}

func TestSummaryIsTheTextBetweenItsTags(t *testing.T) {
	for text, want := range map[string]string{
		"<analysis>a</analysis>\n<summary>it</summary> more": "it",
		"no tags":                          "no tags",
		"<summary>without end":             "without end",
		"<summary></summary>":              "",
		"<summary>one</summary><summary>2": "one",
		"</summary>":                       "</summary>",
		"":                                 "",
	} {
		musttest.Same(t, want, CompactionSummary(text), "%q", text)
	}
}
