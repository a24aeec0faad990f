//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(plugintest.Removing(plugin, enginetest.Wrap(m))) }

// plugin is a directory with the programs under test and the engine, which the tests share.
var plugin = sync.OnceValues(func() (string, error) {
	engineDir, err := enginetest.EngineDir()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "memory-mcp-programs-")
	if err != nil {
		return "", err
	}
	return dir, errors.Join(plugintest.Build(filepath.Join(dir, "libexec"), ".", "../memoryd"), os.Symlink(engineDir, filepath.Join(dir, "engine")))
})

// house is a temporary home and project with the programs under test.
type house struct {
	layout  paths.Layout
	project string
	server  string // the program
	env     []string
}

// newHouse has the daemon that the programs start end with the test.
func newHouse(t testing.TB) *house {
	t.Helper()
	enginetest.Endpoint(t) // the engine's packages are there, or the test is skipped
	programs := musttest.Get(plugin())(t)
	root := t.TempDir()
	h := &house{layout: paths.Layout{Home: filepath.Join(root, "home")}, project: filepath.Join(root, "project"), server: filepath.Join(programs, "libexec", "memory-mcp")}
	for _, dir := range []string{h.project, filepath.Join(root, "user")} {
		musttest.Do(t, os.Mkdir(dir, 0o700))
	}
	h.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(root, "user"), "TMPDIR=" + root, "MEMORY_HOME=" + h.layout.Home, "CLAUDE_PROJECT_DIR=" + h.project, enginetest.Setting()}
	h.set(t, "maintenance.enabled", "false") // maintenance runs when a test asks for it
	t.Cleanup(func() { h.stopDaemon(t) })
	return h
}

// set writes a setting of the home.
func (h *house) set(t testing.TB, key, value string) {
	t.Helper()
	musttest.Do(t, config.Set(h.layout.ConfigFile(), key, value))
}

// stopDaemon ends the daemon, with its engine, and waits until it has gone.
func (h *house) stopDaemon(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	client, err := daemonclient.Dial(ctx, h.layout.Socket())
	if errors.Is(err, daemonclient.ErrNoDaemon) {
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = client.Close() }()
	musttest.Is(t, nil, client.Notify(ctx, daemonapi.MethodStop.Call(daemonapi.None{}, nil)), "client.Notify")
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		if _, err := os.Stat(h.layout.PIDFile()); errors.Is(err, os.ErrNotExist) {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(h.layout.DaemonLog())
			t.Errorf("the daemon has not ended; its log:\n%s", log)
			return
		}
	}
}

// connect starts a server of its own for a session, as the client does.
func (h *house) connect(t testing.TB, session string) *mcp.ClientSession {
	t.Helper()
	command := exec.Command(h.server)
	command.Env = append(slices.Clone(h.env), "CLAUDE_CODE_SESSION_ID="+session)
	command.Stderr = os.Stderr
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// call calls a tool that has to work, and returns its structure.
func call(t testing.TB, client *mcp.ClientSession, tool string, arguments map[string]any) map[string]any {
	t.Helper()
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return nil
	}
	if result.IsError {
		t.Errorf("%s: %s", tool, textOf(result))
		return nil
	}
	structure, _ := result.StructuredContent.(map[string]any)
	return structure
}

// keep stores a memory and returns its id, which it has once the engine is up: until then it asks again, which changes nothing.
func keep(t testing.TB, client *mcp.ClientSession, content string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if id, _ := call(t, client, "store_memory", map[string]any{"content": content})["id"].(string); id != "" {
			return id
		}
	}
	t.Errorf("%q is not searchable after a minute", content)
	return ""
}

// textOf returns the text of a result.
func textOf(result *mcp.CallToolResult) string {
	var all strings.Builder
	for _, content := range result.Content {
		if text, isText := content.(*mcp.TextContent); isText {
			all.WriteString(text.Text)
		}
	}
	return all.String()
}

// TestEightClientsAtOnce: eight servers of one project, none of which finds a daemon, store, change and find their memories at
// the same time. Afterwards the store has all of these changes and nothing else.
func TestEightClientsAtOnce(t *testing.T) {
	h := newHouse(t)
	const clients, each = 8, 6
	animals := []string{"walrus", "ocelot", "heron", "badger", "tapir", "gecko", "bison", "lemur"}
	var wg sync.WaitGroup
	for n := range clients {
		wg.Go(func() {
			client := h.connect(t, fmt.Sprint("session-", n))
			defer func() {
				if err := client.Close(); err != nil {
					t.Errorf("server %d ends with %v", n, err)
				}
			}()
			var ids []string
			for i := range each {
				ids = append(ids, keep(t, client, fmt.Sprintf("Fact %d of the %s", i, animals[n])))
			}
			found := call(t, client, "search_memories", map[string]any{"query": animals[n]})
			if rows, _ := found["memories"].([]any); len(rows) != each {
				t.Errorf("client %d finds %d of its %d memories: %v", n, len(rows), each, rows)
			}
			call(t, client, "update_memory", map[string]any{"id": ids[0], "content": "A new fact of the " + animals[n]})
			call(t, client, "forget_memory", map[string]any{"id": ids[1], "reason": "a test"})
			call(t, client, "forget_memory", map[string]any{"id": ids[2], "reason": "a test"})
			call(t, client, "restore_memory", map[string]any{"id": ids[2]})
			answer := call(t, client, "recall_memories", map[string]any{"query": "the " + animals[n], "token_budget": 2000})
			requireAnswer(t, answer, animals[n], each-1)
		})
	}
	wg.Wait()

	client := h.connect(t, "the-last")
	defer func() { _ = client.Close() }()
	status := musttest.Get(daemonapi.MethodStatus.Ask(t.Context(), daemonclient.Daemon{Paths: h.layout}.Call, daemonapi.None{}))(t)
	if c := status.Store; c == nil || c.Memories != clients*(each+1) || c.Sessions != clients || c.Projects != 1 || c.Runs != clients*4 {
		t.Errorf("the store has %+v", c)
	}
	if status.Spool != (daemonapi.SpoolStatus{}) {
		t.Errorf("the spool has %+v", status.Spool)
	}
	archived := call(t, client, "search_memories", map[string]any{"archived": true, "limit": 100})
	if rows, _ := archived["memories"].([]any); len(rows) != clients*2 {
		t.Errorf("%d memories are archived, want %d", len(rows), clients*2)
	}
}

// quoted is a field of a row without the quotation marks around the lines that nobody typed.
func quoted(row any, field string) string {
	text, _ := row.(map[string]any)[field].(string)
	return strings.NewReplacer("“", "", "”", "").Replace(text)
}

// requireAnswer wants that many memories of an animal, without replaced and forgotten ones.
func requireAnswer(t *testing.T, answer map[string]any, animal string, want int) {
	t.Helper()
	memories, _ := answer["memories"].([]any)
	told := 0
	for _, m := range memories {
		content := quoted(m, "content")
		if strings.HasSuffix(content, animal) {
			told++
		}
		if strings.HasPrefix(content, "Fact 0 of the "+animal) || strings.HasPrefix(content, "Fact 1 of the "+animal) {
			t.Errorf("%s: still recalled: %s", animal, content)
		}
	}
	if told != want {
		t.Errorf("%s: %d memories are recalled, want %d: %v", animal, told, want, memories)
	}
}

// TestStoredWhileTheDaemonIsDown stores into a home whose daemon cannot find a database, and finds it once there is one.
func TestStoredWhileTheDaemonIsDown(t *testing.T) {
	h := newHouse(t)
	h.set(t, "store.url", "ws://127.0.0.1:1") // nobody listens there
	client := h.connect(t, "s")
	kept := call(t, client, "store_memory", map[string]any{"content": "the port is 6543"})
	if kept["stored"] != true || kept["searchable"] != false {
		t.Errorf("without a database: %v", kept)
	}
	musttest.Is(t, nil, client.Close(), "client.Close")
	h.stopDaemon(t)

	musttest.Do(t, config.Unset(h.layout.ConfigFile(), "store.url"))
	client = h.connect(t, "s")
	defer func() { _ = client.Close() }()
	requireAnswer(t, call(t, client, "recall_memories", map[string]any{"query": "which port is it?"}), "6543", 1)
}

// TestTheConsolidatorsInstructionsWork follows the instructions of the plugin's daemon in their order, with ids as the
// tools return them. What was forgotten comes back when it is stored again.
func TestTheConsolidatorsInstructionsWork(t *testing.T) {
	h := newHouse(t)
	client := h.connect(t, "s")
	defer func() { _ = client.Close() }()
	decision := func(content string) string {
		id, _ := call(t, client, "store_memory", map[string]any{"content": content, "kind": "decision"})["id"].(string)
		return id
	}
	keep(t, client, "the engine is up")
	same, again, wrong := decision("sessions are kept in redis"), decision("redis keeps the sessions"), decision("the port is 8080")

	list := func() []string {
		var ids []string
		rows, _ := call(t, client, "list_memories", map[string]any{"kinds": []string{"decision"}})["memories"].([]any)
		for _, row := range rows {
			ids = append(ids, row.(map[string]any)["id"].(string))
		}
		return ids
	}
	if got := list(); len(got) != 3 || !slices.Contains(got, same) || !slices.Contains(got, again) || !slices.Contains(got, wrong) {
		t.Fatalf("listed %q, want %q", got, []string{same, again, wrong})
	}
	call(t, client, "search_memories", map[string]any{"query": "redis"})
	call(t, client, "get_memories", map[string]any{"ids": []string{same, again}})
	call(t, client, "update_memory", map[string]any{"id": same, "content": "sessions are kept in redis, which all replicas share", "reason": "has both"})
	call(t, client, "forget_memory", map[string]any{"id": again, "reason": "said by " + same})
	call(t, client, "update_memory", map[string]any{"id": wrong, "content": "the port is 6543", "reason": "server.go says so"})
	if got := list(); len(got) != 2 || slices.Contains(got, again) {
		t.Errorf("in the end %q are decisions", got)
	}
	call(t, client, "restore_memory", map[string]any{"id": again, "reason": "undone"})
	if got := list(); len(got) != 3 {
		t.Errorf("restored, %q are decisions", got)
	}
	long := strings.Repeat("long, ", 600) + "and longer\nand with lines"
	first := keep(t, client, long)
	call(t, client, "forget_memory", map[string]any{"id": first, "reason": "a test"})
	if again := keep(t, client, long); again != first {
		t.Errorf("stored as %s and then as %s", first, again)
	}
	got, _ := call(t, client, "get_memories", map[string]any{"ids": []any{first}})["memories"].([]any)
	if len(got) != 1 || got[0].(map[string]any)["status"] != nil || quoted(got[0], "content") != memory.OneLine(long) || quoted(got[0], "detail") != long {
		t.Errorf("got %v", got)
	}

	instructions := musttest.Get(os.ReadFile("../../plugin/agents/memory-consolidator.md"))(t)
	called := []string{"list_memories", "search_memories", "get_memories", "update_memory", "forget_memory", "store_memory"}
	_, body, _ := strings.Cut(string(instructions), "\n---\n")
	for _, named := range regexp.MustCompile("`([a-z]+_[a-z_]+)`").FindAllStringSubmatch(body, -1) {
		if !slices.Contains(called, named[1]) {
			t.Errorf("the instructions name %s, which this test does not call", named[1])
		}
		if !strings.Contains(string(instructions), "mcp__plugin_surrealdb-memory_memory__"+named[1]) {
			t.Errorf("the daemon is told to call %s and is not given it", named[1])
		}
	}
}

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
		session, err := mcp.NewClient(&mcp.Implementation{Name: "any-agent", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil) // initialize
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
	musttest.Is(t, nil, daemon.Close(), "daemon.Close")

	again := connect()
	defer func() { _ = again.Close() }()
	requireAnswer(t, call(t, again, "recall_memories", map[string]any{"query": "which port has the staging database?"}), "6543", 1)
}
