//go:build linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// documentedServer is the MCP server as docs/clients.md has it for any agent.
func documentedServer(t *testing.T) (command string, args []string) {
	t.Helper()
	page := musttest.Get(os.ReadFile(filepath.Join("..", "..", "docs", "clients.md")))(t)
	var settings struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	line := regexp.MustCompile(`(?m)^    (\{"mcpServers".*)$`).FindSubmatch(page)
	if line == nil {
		t.Fatal("docs/clients.md has no line of an MCP server")
	}
	musttest.Do(t, json.Unmarshal(line[1], &settings))
	server := settings.Servers["memory"]
	return server.Command, server.Args
}

// TestAnyAgentGetsTheMemoryByTheDocumentedLine starts the server by the line of docs/clients.md in a project, without a
// variable of ours, and stores and recalls what no client has told it.
func TestAnyAgentGetsTheMemoryByTheDocumentedLine(t *testing.T) {
	h := newHouse(t)
	user := filepath.Join(filepath.Dir(h.project), "user")
	h.layout = paths.Layout{Home: filepath.Join(user, ".claude", "surrealdb-memory")}
	musttest.Do(t, launcher.Install(h.layout, filepath.Dir(filepath.Dir(h.server))))
	connect := func() *mcp.ClientSession {
		t.Helper()
		name, args := documentedServer(t)
		command := exec.Command(name, args...)
		command.Dir = h.project
		command.Env = slices.DeleteFunc(slices.Clone(h.env), func(one string) bool {
			return strings.HasPrefix(one, "MEMORY_HOME=") || strings.HasPrefix(one, "CLAUDE_")
		})
		command.Stderr = os.Stderr
		session, err := mcp.NewClient(&mcp.Implementation{Name: "any-agent", Version: "1"}, nil).
			Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil) // initialize
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	daemon := connect()
	listed := musttest.Get(daemon.ListTools(t.Context(), nil))(t)
	for _, name := range []string{"store_memory", "recall_memories"} {
		if !slices.ContainsFunc(listed.Tools, func(tool *mcp.Tool) bool { return tool.Name == name }) {
			t.Errorf("%s is not among the %d tools", name, len(listed.Tools))
		}
	}
	keep(t, daemon, "the staging database listens on port 6543")
	if err := daemon.Close(); err != nil {
		t.Error(err)
	}

	again := connect()
	defer func() { _ = again.Close() }()
	requireAnswer(t, call(t, again, "recall_memories", map[string]any{"query": "which port has the staging database?"}), "6543", 1)
}
