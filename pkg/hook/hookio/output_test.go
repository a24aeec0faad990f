package hookio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func encode(t testing.TB, out hookio.Output) string {
	t.Helper()
	var b bytes.Buffer
	musttest.Do(t, out.Encode(&b))
	return b.String()
}

func TestEncodeWritesTheClientsFormat(t *testing.T) {
	for name, tc := range map[string]struct {
		out  hookio.Output
		want string
	}{
		"nothing":       {hookio.Output{}, ""},
		"context":       {hookio.Context(hookio.SessionStart, "a\n\"b\""), `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a\n\"b\""}}` + "\n"},
		"empty context": {hookio.Context(hookio.SessionStart, ""), ""},
		"allow":         {hookio.Allow(), `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}` + "\n"},
		"deny":          {hookio.Deny("no"), `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}` + "\n"},
		"ask":           {hookio.Ask("may it?"), `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"may it?"}}` + "\n"},
		"message":       {hookio.Output{SystemMessage: "m"}, `{"systemMessage":"m"}` + "\n"},
		"odd bytes":     {hookio.Context("E", "\x00\x1f\x7f\u2028\u2029\xff<&>é😀\\"), `{"hookSpecificOutput":{"hookEventName":"E","additionalContext":"\u0000\u001f` + "\x7f" + `\u2028\u2029\ufffd` + "<&>é😀\\\\\"}}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := encode(t, tc.out)
			musttest.Same(t, tc.want, got, "(-want +got)")
			if got != "" && !json.Valid([]byte(got)) {
				t.Errorf("not JSON: %s", got)
			}
		})
	}
}

func TestContextNeverExceedsTheClientsLimit(t *testing.T) {
	for _, unit := range []string{"x", "é", "😀"} {
		var answer struct {
			HookSpecificOutput struct{ AdditionalContext string }
		}
		line := encode(t, hookio.Context(hookio.SessionStart, "a"+strings.Repeat(unit, hookio.MaxContextChars)))
		musttest.Do(t, json.Unmarshal([]byte(line), &answer))
		text := answer.HookSpecificOutput.AdditionalContext
		if n := len(utf16.Encode([]rune(text))); n > hookio.MaxContextChars || n < hookio.MaxContextChars-1 {
			t.Errorf("%q: %d UTF-16 units, want the limit or one less", unit, n)
		}
	}
}

type closedPipe struct{}

var errClosed = errors.New("closed")

func (closedPipe) Write([]byte) (int, error) { return 0, errClosed }

func TestEncodeReportsAFailedWrite(t *testing.T) {
	musttest.Is(t, errClosed, hookio.Deny("x").Encode(closedPipe{}), "the error")
}

func TestValueHelpers(t *testing.T) {
	in := decode(t, `{"tool_input":{"s":"text","digits":"7","n":-3.7,"big":1e300,"i":9007199254740993,"t":true,"z":null,"o":{"l":["a",2]}}}`)
	v := in.ToolInput
	for name, ok := range map[string]bool{
		"string":               v.String("s") == "text",
		"string of a number":   v.String("n") == "",
		"string of nothing":    v.String("no", "such") == "",
		"int":                  v.Int("i") == 9007199254740993,
		"int of a fraction":    v.Int("n") == 0,
		"int out of range":     v.Int("big") == 0,
		"int of a string":      v.Int("digits") == 0 && v.Int("s") == 0,
		"bool":                 v.Bool("t") && !v.Bool("s") && !v.Bool("no"),
		"has null":             v.Has("z") && !v.Has("no") && v.Get("z").Kind == hookio.Null,
		"nested list":          len(v.List("o", "l")) == 2 && v.List("o", "l")[1].Int() == 2,
		"list of nothing":      v.List("s") == nil,
		"zero value is usable": hookio.Value{}.String("a") == "" && !hookio.Value{}.Has(),
	} {
		if !ok {
			t.Errorf("%s: wrong in %+v", name, v)
		}
	}
}
