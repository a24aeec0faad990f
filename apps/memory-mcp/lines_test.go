package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/mcpserver"
)

// TestMalformedLinesAreAnswered: a client sends invalid messages, and then
// continues.
func TestMalformedLinesAreAnswered(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for name, c := range map[string]struct {
		line string
		code int
	}{
		"no JSON":           {"hello", -32700},
		"cut JSON":          {hello[:20], -32700},
		"not UTF-8":         {"\xff\xfe{}", -32700},
		"a number":          {"42", -32600},
		"an empty object":   {"{}", -32600},
		"another version":   {`{"jsonrpc":"1.0","id":1,"method":"x"}`, -32600},
		"a batch":           {"[" + hello + "]", -32600},
		"too long":          {`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", mostLine) + `"}`, -32600},
		"too deep":          {strings.Repeat("[", 20_000), -32700},
		"a comma behind":    {`{"jsonrpc":"2.0","id":2,"method":"tools/list"},`, -32700},
		"a brace too many":  {`{"jsonrpc":"2.0","id":2,"method":"ping"}}`, -32700},
		"a NUL behind":      {"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\x00", -32700},
		"two messages":      {`{"jsonrpc":"2.0","id":2,"method":"ping"} {"jsonrpc":"2.0","id":3,"method":"ping"}`, -32700},
		"two, close by":     {`{"jsonrpc":"2.0","method":"notifications/initialized"}{"jsonrpc":"2.0","id":3,"method":"ping"}`, -32700},
		"a word behind":     {`{"jsonrpc":"2.0","id":2,"method":"ping"} done`, -32700},
		"a header":          {"Content-Length: 40\r", -32700},
		"a method of a map": {`{"jsonrpc":"2.0","id":1,"method":{}}`, -32600},
	} {
		t.Run(name, func(t *testing.T) {
			toServer, input := io.Pipe()
			output, fromServer := io.Pipe()
			done := make(chan error, 1)
			go func() {
				server := mcpserver.New(mcpserver.Options{Version: "test", Now: time.Now})
				done <- server.Run(t.Context(), stdio(toServer, fromServer))
			}()
			go func() { _, _ = io.WriteString(input, c.line+"\n\n"+hello+"\n") }()
			answers := bufio.NewReader(output)
			var refused, greeted struct {
				ID     *int            `json:"id"`
				Result json.RawMessage `json:"result"`
				Error  struct{ Code int }
			}
			for _, answer := range []any{&refused, &greeted} {
				line, err := answers.ReadBytes('\n')
				if err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(line, answer); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
			}
			if refused.ID != nil || refused.Error.Code != c.code {
				t.Errorf("refused with %+v, want code %d and no id", refused, c.code)
			}
			if greeted.ID == nil || *greeted.ID != 7 || len(greeted.Result) == 0 {
				t.Errorf("then answered %+v", greeted)
			}
			_ = input.Close()
			if err := <-done; err != nil {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// TestTheVersionWithBatchesIsNotAgreedOn: a client that has agreed on it may send some.
func TestTheVersionWithBatchesIsNotAgreedOn(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	server := mcpserver.New(mcpserver.Options{Version: "test", Now: time.Now})
	toServer, input := io.Pipe()
	output, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- server.Run(t.Context(), stdio(toServer, fromServer)) }()
	go func() { _, _ = io.WriteString(input, hello+"\n") }()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil || !strings.Contains(line, `"protocolVersion":"2024-11-05"`) {
		t.Errorf("answered %s, %v", line, err)
	}
	_ = input.Close()
	if err := <-done; err != nil {
		t.Errorf("ended with %v", err)
	}
}

// TestAMessageThatIsTooLongIsAnsweredByItsID, wherever in the message it stands: whoever
// sent it waits for that answer.
func TestAMessageThatIsTooLongIsAnsweredByItsID(t *testing.T) {
	long := strings.Repeat("x", 4<<20)
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"text":"` + long + `"}}`:                       "12",
		`{"method":"tools/call","params":{"id":1,"text":"` + long + `","a":[{"id":2}]},"jsonrpc":"2.0","id":13}`: "13",
		`{"params":{"text":"\"id\":3,` + long + `\\"},"id" : "a,\"}b" , "method":"x"}`:                           `"a,\"}b"`,
		`{"params":"` + long + `","id":-1}`:       "-1",
		`{"method":"` + long + `"}`:               "null",
		`{"id":"` + long + `"}`:                   "null",
		`{"id":{"id":4},"method":"` + long + `"}`: "null",
		`{"id":x,"method":"` + long + `"}`:        "null",
		`[{"id":5,"method":"` + long + `"}]`:      "null",
		`"id":6,` + long:                          "null",
		long:                                      "null",
	} {
		var replies strings.Builder
		if err := pass(strings.NewReader(message+"\n"), io.Discard, &replies); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		var answer struct {
			ID    json.RawMessage `json:"id"`
			Error struct{ Code int }
		}
		if err := json.Unmarshal([]byte(replies.String()), &answer); err != nil || string(answer.ID) != want || answer.Error.Code != codeInvalid {
			t.Errorf("%.40s... is answered %s, %v; want the id %s", message, replies.String(), err, want)
		}
	}
}

// TestAnIDIsFoundInAnyMessage, and nothing else is taken for one.
func TestAnIDIsFoundInAnyMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message := map[string]any{}
		for range rapid.IntRange(0, 5).Draw(t, "members") {
			message[rapid.SampledFrom([]string{"a", "id ", "ID", "params", `i"d`, "\\"}).Draw(t, "name")] = rapid.OneOf(
				rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Just[any](map[string]any{"id": []any{"}", 1}}),
			).Draw(t, "value")
		}
		want := ""
		if rapid.Bool().Draw(t, "has an id") {
			message["id"] = rapid.OneOf(rapid.Int().AsAny(), rapid.StringN(0, 20, longestID/6).AsAny()).Draw(t, "id")
			id, err := json.Marshal(message["id"])
			if err != nil {
				t.Fatal(err)
			}
			want = string(id)
		}
		line, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		id := idOf(line)
		if string(id) != want {
			t.Errorf("in %s the id is %q, want %q", line, id, want)
		}
	})
}
