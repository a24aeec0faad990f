package hooks_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"
)

// decide feeds one question to the program and returns its output.
func decide(t *testing.T, input string) string {
	t.Helper()
	home := t.TempDir()
	var out strings.Builder
	code := hook.Run(hooks.PermissionRequest, hook.Process{
		Stdin: strings.NewReader(input), Stdout: &out, Stderr: &out, Now: time.Now, Executable: home + "/libexec/permission-request",
		Getenv: func(name string) string { return map[string]string{"MEMORY_HOME": home}[name] },
	})
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	return out.String()
}

type object = map[string]any

func question(tool string, input, server any) string {
	all := object{
		"session_id": "s", "cwd": "/x", "hook_event_name": "PermissionRequest",
		"tool_name": client.OwnTools + tool, "tool_input": input,
	}
	if server != nil {
		all["mcp_server"] = server
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(text)
}

var (
	own    = object{"name": hooks.OwnServer, "source": "plugin"}
	fact   = object{"content": "a fact"}
	change = object{"id": "0123456789ab", "reason": "wrong"}
)

func TestOwnToolsAreAllowed(t *testing.T) {
	for name, input := range map[string]string{
		"store":  question("store_memory", fact, own),
		"status": question("list_memories", object{}, own),
		"recall": question("recall_memories", object{"query": "x"}, own),
	} {
		if got := decide(t, input); !strings.Contains(got, `"allow"`) {
			t.Errorf("%s: answered %q", name, got)
		}
	}
}

// TestNothingElseIsAllowed tries questions from a repository, large ones and broken ones.
func TestNothingElseIsAllowed(t *testing.T) {
	whole := question("store_memory", fact, own)
	for name, input := range map[string]string{
		"a repository's server of our very name": question("store_memory", fact, object{"name": hooks.OwnServer, "source": "project"}),
		"a user's server of our very name":       question("store_memory", fact, object{"name": hooks.OwnServer, "source": "user"}),
		"no source":                              question("store_memory", fact, object{"name": hooks.OwnServer}),
		"no server":                              question("store_memory", fact, nil),
		"a server that is a text":                question("store_memory", fact, hooks.OwnServer),
		"another plugin's server":                question("store_memory", fact, object{"name": "plugin:other:memory", "source": "plugin"}),
		"a source that is longer":                question("store_memory", fact, object{"name": hooks.OwnServer, "source": "plugins"}),
		"a tool that is not known":               question("drop_database", fact, own),
		"a content that was cut":                 question("store_memory", object{"content": strings.Repeat("long ", 20_000)}, own),
		"a content deep inside that was cut":     question("store_memory", object{"tags": []any{object{"x": strings.Repeat("long ", 20_000)}}}, own),
		"more values than are kept":              question("store_memory", object{"tags": make([]int, 20_000)}, own),
		"a question that ends early":             whole[:len(whole)-1],
		"a question that ends before the server": strings.Replace(whole, `"mcp_server"`, "", 1),
		"a question that is broken":              strings.Replace(whole, `"session_id":"s"`, `"session_id":!`, 1),
		"a forgetting":                           question("forget_memory", change, own),
		"a correction":                           question("update_memory", change, own),
		"tags":                                   question("tag_memory", change, own),
		"a restoring":                            question("restore_memory", change, own),
	} {
		if got := decide(t, input); got != "" {
			t.Errorf("%s: answered %q, want no opinion", name, got)
		}
	}
}
