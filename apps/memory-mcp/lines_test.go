package main

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/mcpserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
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
				server := mcpserver.New(mcpserver.Options{Version: "test", Daemon: daemonclient.Daemon{Now: time.Now}})
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
				line := musttest.Get(answers.ReadBytes('\n'))(t)
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
	server := mcpserver.New(mcpserver.Options{Version: "test", Daemon: daemonclient.Daemon{Now: time.Now}})
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
