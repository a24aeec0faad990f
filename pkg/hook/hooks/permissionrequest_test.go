package hooks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
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
	musttest.Same(t, 0, code, "exit code")
	return out.String()
}

// question asks for a tool; without a server it is one that the client does not name.
func question(t *testing.T, tool string, input, server any) string {
	t.Helper()
	asked := at(hookio.PermissionRequest, fields{"tool_name": tool, "tool_input": input})
	if server != nil {
		asked["mcp_server"] = server
	}
	return toJSON(t, asked)
}

var (
	own    = fields{"name": ourServer, "source": "plugin"}
	fact   = fields{"content": "a fact"}
	change = fields{"id": "0123456789ab", "reason": "wrong"}
)

func TestOwnToolsAreAllowed(t *testing.T) {
	for name, input := range map[string]string{
		"store":  question(t, client.OwnTools+"store_memory", fact, own),
		"status": question(t, client.OwnTools+"list_memories", fields{}, own),
		"recall": question(t, client.OwnTools+"recall_memories", fields{"query": "x"}, own),
	} {
		if got := decide(t, input); !strings.Contains(got, `"allow"`) {
			t.Errorf("%s: answered %q", name, got)
		}
	}
}

// TestNothingElseIsAllowed tries questions from a repository, large ones and broken ones.
func TestNothingElseIsAllowed(t *testing.T) {
	whole := question(t, client.OwnTools+"store_memory", fact, own)
	for name, input := range map[string]string{
		"a repository's server of our very name":           question(t, client.OwnTools+"store_memory", fact, fields{"name": hooks.OwnServer, "source": "project"}),
		"a user's server of our very name":                 question(t, client.OwnTools+"store_memory", fact, fields{"name": hooks.OwnServer, "source": "user"}),
		"no source":                                        question(t, client.OwnTools+"store_memory", fact, fields{"name": hooks.OwnServer}),
		"no server":                                        question(t, client.OwnTools+"store_memory", fact, nil),
		"a server that is a text":                          question(t, client.OwnTools+"store_memory", fact, hooks.OwnServer),
		"another plugin's server":                          question(t, client.OwnTools+"store_memory", fact, fields{"name": "plugin:other:memory", "source": "plugin"}),
		"a source that is longer":                          question(t, client.OwnTools+"store_memory", fact, fields{"name": hooks.OwnServer, "source": "plugins"}),
		"another server with a name that begins like ours": question(t, "mcp__plugin_surrealdb-memory_memory2__store_memory", fact, fields{"name": "plugin:surrealdb-memory:memory2", "source": "plugin"}),
		"another server whose tool has a longer name":      question(t, client.OwnTools+"x__store_memory", fact, fields{"name": "plugin:surrealdb-memory:memory__x", "source": "plugin"}),
		"another plugin with a name that begins like ours": question(t, "mcp__plugin_surrealdb-memory2_memory__store_memory", fact, fields{"name": "plugin:surrealdb-memory2:memory", "source": "plugin"}),
		"a server of our name in the form of tools":        question(t, client.OwnTools+"store_memory", fact, fields{"name": "plugin_surrealdb-memory_memory", "source": "plugin"}),
		"our prefix alone":                                 question(t, client.OwnTools, fact, own),
		"our prefix in capitals":                           question(t, strings.ToUpper(client.OwnTools)+"store_memory", fact, own),
		"our prefix inside":                                question(t, "mcp__evil__"+client.OwnTools+"store_memory", fact, own),
		"a tool of the client's":                           question(t, "Bash", fact, nil),
		"a tool that is not known":                         question(t, client.OwnTools+"drop_database", fact, own),
		"a content that was cut":                           question(t, client.OwnTools+"store_memory", fields{"content": strings.Repeat("long ", 20_000)}, own),
		"a content deep inside that was cut":               question(t, client.OwnTools+"store_memory", fields{"tags": []any{fields{"x": strings.Repeat("long ", 20_000)}}}, own),
		"more values than are kept":                        question(t, client.OwnTools+"store_memory", fields{"tags": make([]int, 20_000)}, own),
		"a question that ends early":                       whole[:len(whole)-1],
		"a question that ends before the server":           strings.Replace(whole, `"mcp_server"`, "", 1),
		"a question that is broken":                        strings.Replace(whole, `"session_id":"`+session+`"`, `"session_id":!`, 1),
		"a forgetting":                                     question(t, client.OwnTools+"forget_memory", change, own),
		"a correction":                                     question(t, client.OwnTools+"update_memory", change, own),
		"a restoring":                                      question(t, client.OwnTools+"restore_memory", change, own),
	} {
		musttest.Same(t, "", decide(t, input), "%s: answered", name)
	}
}
