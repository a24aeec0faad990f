package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/mcpserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// lines sends lines to a server that begins with a version of the protocol, and returns as many lines of answers to them as are wanted.
func lines(t *testing.T, version string, sent []string, wanted int) (answers []string) {
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
		if !strings.Contains(line, `"id":"hello"`) {
			answers = append(answers, strings.TrimSpace(line))
		}
	}
	if err := input.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("ended with %v", err)
	}
	return answers
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
	for _, answer := range lines(t, "2025-11-25", sent, len(ids)) {
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
