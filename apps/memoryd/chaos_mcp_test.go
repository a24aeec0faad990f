//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var mcpFaults = []fault{
	{"MCP lines that are no messages, between calls", inFull(100), garble},
}

// garbled are lines that are no messages of the protocol.
var garbled = []string{
	"hello", `{"jsonrpc":"2.0","id":7,"meth`, "\xff\xfe{}", "42", "{}", "[]", "null", `{"jsonrpc":"1.0","id":1,"method":"x"}`,
	`{"jsonrpc":"2.0","id":1,"method":{}}`, strings.Repeat("[", 5000), "",
}

// garble has a client store memories, each as an event of its own, and send garbage in between.
func garble(t *testing.T, c *chaos, runs int) {
	server := filepath.Join(c.plug(t), "libexec", "memory-mcp")
	c.start(t)
	c.awaitReady(t)
	cmd := exec.Command(server)
	cmd.Env = append(append([]string{}, c.env...), "CLAUDE_PROJECT_DIR="+t.TempDir(), "CLAUDE_CODE_SESSION_ID=s")
	cmd.Stderr = os.Stderr
	input := musttest.Get(cmd.StdinPipe())(t)
	output := musttest.Get(cmd.StdoutPipe())(t)
	musttest.Do(t, cmd.Start())
	answers := bufio.NewReader(output)
	ask(t, input, answers, 1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	send(t, input, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for n := range runs {
		send(t, input, garbled[n%len(garbled)])
		c.most++
		said := ask(t, input, answers, 2+n, "tools/call", fmt.Sprintf(`{"name":"store_memory","arguments":{"content":"The number of this fact is %d"}}`, n))
		if strings.Contains(said, `"stored":true`) {
			c.in++
		} else {
			t.Errorf("call %d after garbage: %s", n, said)
		}
	}
	_ = input.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("memory-mcp ends with %v", err)
	}
}

func send(t *testing.T, to io.Writer, line string) {
	t.Helper()
	musttest.Get(io.WriteString(to, line+"\n"))(t)
}

// ask sends a request and returns its answer, past those to garbage.
func ask(t *testing.T, to io.Writer, answers *bufio.Reader, id int, method, params string) string {
	t.Helper()
	send(t, to, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	for {
		line := musttest.Get(answers.ReadString('\n'))(t)
		var answer struct{ ID *int }
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if answer.ID != nil && *answer.ID == id {
			return line
		}
	}
}
