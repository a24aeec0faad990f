package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestACancelledRequestGetsNoAnswer, by a number or by a text as its id, and the requests beside it get theirs.
func TestACancelledRequestGetsNoAnswer(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil, nil, ctx.Err()
	})
	toServer, input := io.Pipe()
	output, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- server.Run(t.Context(), stdio(toServer, fromServer))
		_ = fromServer.Close()
	}()
	answers := bufio.NewReader(output)
	next := func() string {
		t.Helper()
		line, err := answers.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ ID json.RawMessage }
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return string(answer.ID)
	}
	send := func(line string) {
		t.Helper()
		if _, err := io.WriteString(input, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	got := []string{next()}
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, id := range []string{"2", `"two"`} {
		send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"wait","arguments":{}}}`)
		<-started
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"the user pressed Escape"}}`)
		<-ended
	}
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`) // not sent yet
	send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	got = append(got, next())
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
		t.Errorf("also answered: %s, %v", rest, err)
	}
	if err := <-done; err != nil && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"1", "3"}, got); diff != "" {
		t.Errorf("answered (-want +got):\n%s", diff)
	}
}
