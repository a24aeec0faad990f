package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/mcpserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// lines sends lines to a server that begins with a version of the protocol, and returns its greeting and as many lines of answers to them as are wanted.
func lines(t *testing.T, version string, sent []string, wanted int) (greeting string, answers []string) {
	t.Helper()
	toServer, input := io.Pipe()
	output, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		server := mcpserver.New(mcpserver.Options{Version: "test", Daemon: daemonclient.Daemon{Now: time.Now}})
		done <- server.Run(t.Context(), stdio(toServer, fromServer))
	}()
	hello := `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	go func() { _, _ = io.WriteString(input, hello+"\n"+strings.Join(sent, "\n")+"\n") }()
	read := bufio.NewReader(output)
	for range wanted + 1 {
		line, err := read.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", answers, err)
		}
		if strings.Contains(line, `"id":"hello"`) {
			greeting = line
		} else {
			answers = append(answers, strings.TrimSpace(line))
		}
	}
	musttest.Is(t, nil, input.Close(), "input.Close")
	musttest.Is(t, nil, <-done, "ended")
	return greeting, answers
}

func TestARequestIsAnsweredByItsIDAsSent(t *testing.T) {
	ids := []string{
		"0", "-1", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807", "9223372036854775808", "123456789012345678901234567890",
		"1.5", "1.0", "1e3", "1E400", "-0", `""`, `"9007199254740993"`, `"id as sent: 7"`, `"id as sent: x"`, `"<a>&"`, `"ä\u00e4\n"`, `" 1 "`,
	}
	sent, want := []string{}, map[string]bool{}
	for _, id := range ids {
		sent = append(sent, `{"jsonrpc":"2.0","method":"ping", "id" : `+id+` }`)
		var value any
		decoder := json.NewDecoder(strings.NewReader(id))
		decoder.UseNumber()
		musttest.Do(t, decoder.Decode(&value))
		want[fmt.Sprintf("%T %v", value, value)] = true
	}
	got := map[string]bool{}
	_, answers := lines(t, "2025-11-25", sent, len(ids))
	for _, answer := range answers {
		var message struct {
			ID     any
			Result json.RawMessage
		}
		decoder := json.NewDecoder(strings.NewReader(answer))
		decoder.UseNumber()
		if err := decoder.Decode(&message); err != nil || message.Result == nil {
			t.Errorf("%s: %v", answer, err)
		}
		got[fmt.Sprintf("%T %v", message.ID, message.ID)] = true
	}
	musttest.Same(t, want, got, "ids (-sent +answered)")
}

// TestMalformedLinesAreAnswered: a client sends invalid messages, and then continues.
func TestMalformedLinesAreAnswered(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	for name, c := range map[string]struct {
		line string
		code int
	}{
		"no JSON":           {"hello", -32700},
		"cut JSON":          {ping[:20], -32700},
		"not UTF-8":         {"\xff\xfe{}", -32700},
		"a number":          {"42", -32600},
		"an empty object":   {"{}", -32600},
		"another version":   {`{"jsonrpc":"1.0","id":1,"method":"x"}`, -32600},
		"a batch":           {"[" + ping + "]", -32600},
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
			_, answers := lines(t, "2025-06-18", []string{c.line, "", ping}, 2)
			var refused, answered struct {
				ID     *int            `json:"id"`
				Result json.RawMessage `json:"result"`
				Error  struct{ Code int }
			}
			musttest.Do(t, errors.Join(json.Unmarshal([]byte(answers[0]), &refused), json.Unmarshal([]byte(answers[1]), &answered)))
			if refused.ID != nil || refused.Error.Code != c.code {
				t.Errorf("refused with %+v, want code %d and no id", refused, c.code)
			}
			if answered.ID == nil || *answered.ID != 7 || len(answered.Result) == 0 {
				t.Errorf("then answered %+v", answered)
			}
		})
	}
}

// TestTheVersionWithBatchesIsNotAgreedOn: a client that has agreed on it may send some.
func TestTheVersionWithBatchesIsNotAgreedOn(t *testing.T) {
	if greeting, _ := lines(t, "2025-03-26", nil, 0); !strings.Contains(greeting, `"protocolVersion":"2024-11-05"`) {
		t.Errorf("answered %s", greeting)
	}
}
