//go:build e2e

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// tool is the full name of one of the plugin's tools.
func tool(name string) string { return "mcp__plugin_surrealdb-memory_memory__" + name }

// idOf returns the id of a text about the user's project.
func idOf(u *User, content string) string {
	where := musttest.Get(project.Identify(u.Project))(u.t)
	return memory.ShortID(memory.NewID(memory.ScopeProject, where.Key, content))
}

// toolResults are the texts of the tool results in a request, as they reached the model, in order; a failed one fails
// the test.
func toolResults(t *testing.T, request Request) []string {
	t.Helper()
	var results []string
	for _, message := range request.Messages {
		for _, block := range message.Content {
			if block.Type != "tool_result" {
				continue
			}
			text := strings.Join(block.Content.allText(), "\n")
			if block.IsError {
				t.Errorf("a tool failed: %s", text)
			}
			results = append(results, text)
		}
	}
	return results
}

func offered(request Request) []string {
	var names []string
	for _, one := range request.Tools {
		names = append(names, one.Name)
	}
	return names
}

// TestStoredThroughMCPGivenAndForgotten is the life of a memory that the model steers: stored in one session, given to
// the next and forgotten there, and not given to the one after it.
func TestStoredThroughMCPGivenAndForgotten(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	const decision = "The staging database listens on port 6543, because 5432 is taken"
	api.Script("store",
		Call(tool("store_memory"), map[string]any{"content": decision, "kind": "decision", "tags": []string{"database"}}),
		Call(tool("recall_memories"), map[string]any{"query": "which port has the staging database?", "token_budget": 300}),
		Say("Stored."),
	)
	first := u.Run(t.Context(), "Keep the port. SCRIPT:store")
	requireGoodRun(t, first, "SessionStart:startup", "UserPromptSubmit", "Stop")
	request := lastRequest(t, api, "Keep the port.")
	loaded := slices.DeleteFunc(offered(request), func(name string) bool { return !strings.HasPrefix(name, tool("")) })
	slices.Sort(loaded)
	// The other tools wait behind the client's tool search.
	want := []string{tool("get_memories"), tool("list_memories"), tool("recall_memories"), tool("search_memories"), tool("store_memory")}
	if !slices.Equal(loaded, want) {
		t.Errorf("the client loads %q, want %q", loaded, want)
	}
	results := toolResults(t, request)
	if len(results) != 2 {
		t.Fatalf("two tools gave %d results: %q", len(results), results)
	}
	if !strings.Contains(results[0], idOf(u, decision)) || !strings.Contains(results[0], `"searchable":true`) {
		t.Errorf("store_memory answered %s", results[0])
	}
	var answer daemonapi.Answer
	if err := json.Unmarshal([]byte(results[1]), &answer); err != nil || len(answer.Memories) != 1 || answer.Memories[0].Content != "“"+decision+"”" {
		t.Errorf("recall_memories answered %s (%v)", results[1], err)
	}
	musttest.Same(t, answer.Tokens, tokens.New().Count(results[1]), "the tokens that the model was given: %s", results[1])

	api.Script("forget",
		Call(tool("forget_memory"), map[string]any{"id": idOf(u, decision), "reason": "the database was moved"}),
		Say("Forgotten."),
	)
	requireGoodRun(t, u.Run(t.Context(), "Now forget it. SCRIPT:forget", "--allowedTools", tool("forget_memory")))
	request = lastRequest(t, api, "Now forget it.")
	requireRecalled(t, request, map[string]string{"the decision": decision})
	if results := toolResults(t, request); len(results) != 1 || !strings.Contains(results[0], `"changed":true`) {
		t.Errorf("forget_memory answered %q", results)
	}

	requireGoodRun(t, u.Run(t.Context(), "Which port has the staging database?"))
	request = lastRequest(t, api, "Which port has the staging database?")
	if blocks := strings.Join(request.MemoryBlocks(), "\n"); strings.Contains(blocks, decision) {
		t.Errorf("what was forgotten is still given: %s", blocks)
	}
}

// TestEveryToolAnswersTheModel has the model call every tool once, in the order in which they depend on each other.
func TestEveryToolAnswersTheModel(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	const before, after = "Deploys go out on Fridays", "Deploys go out on Mondays"
	steps := []Step{
		Call(tool("store_memory"), map[string]any{"content": before, "kind": "convention", "tags": []string{"release"}}),
		Call(tool("search_memories"), map[string]any{"query": "deploys"}),
		Call(tool("get_memories"), map[string]any{"ids": []string{idOf(u, before)}}),
		Call(tool("update_memory"), map[string]any{"id": idOf(u, before), "content": after, "reason": "nobody was there"}),
		Call(tool("forget_memory"), map[string]any{"id": idOf(u, after), "reason": "a test"}),
		Call(tool("restore_memory"), map[string]any{"id": idOf(u, after)}),
		Call(tool("list_memories"), map[string]any{"kinds": []string{"convention"}, "tag": "release"}),
		Call(tool("recall_memories"), map[string]any{"query": "when do deploys go out?"}),
	}
	api.Script("all", append(steps, Say("Done."))...)
	var asked []string // the user is asked about the tools that change a memory
	for _, name := range []string{"update_memory", "forget_memory", "restore_memory"} {
		asked = append(asked, tool(name))
	}
	requireGoodRun(t, u.Run(t.Context(), "Call them all. SCRIPT:all", "--allowedTools", strings.Join(asked, ",")))
	results := toolResults(t, lastRequest(t, api, "Call them all."))
	if len(results) != len(steps) {
		t.Fatalf("%d tools gave %d results: %q", len(steps), len(results), results)
	}
	for i, piece := range []string{
		`"stored":true`, before, `"content":"“` + before, `"replaced":"` + idOf(u, before), `"archived"`, `"changed":true`,
		`"memories"`, after,
	} {
		if !strings.Contains(results[i], piece) {
			t.Errorf("result %d lacks %s: %s", i, piece, results[i])
		}
	}
}

// TestCommandsAndDaemon has the client expand a command and start the plugin's daemon, with the tools it names.
func TestCommandsAndDaemon(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	api.Script("clean", Call("Agent", map[string]any{
		"subagent_type": "surrealdb-memory:memory-consolidator", "description": "Clean up",
		"prompt": "Put the memory in order. SCRIPT:inner", "run_in_background": false,
	}), Say("Done."))
	api.Script("inner", Call(tool("search_memories"), map[string]any{"archived": true}), Say("Nothing to do."))
	requireGoodRun(t, u.Run(t.Context(), "/surrealdb-memory:remember the port is 6543 SCRIPT:clean"), "SubagentStart:surrealdb-memory:memory-consolidator")
	requireCarried(t, api, "Keep this for later sessions: the port is 6543")
	inner := lastRequest(t, api, "Put the memory in order.")
	for _, name := range []string{"search_memories", "list_memories", "get_memories", "update_memory", "forget_memory"} {
		if !slices.Contains(offered(inner), tool(name)) {
			t.Errorf("the daemon is not offered %s, only %q", name, offered(inner))
		}
	}
	for _, name := range offered(inner) {
		if slices.Contains([]string{"Bash", "Write", "Edit", "Agent"}, name) {
			t.Errorf("the daemon is offered %s, which it does not need", name)
		}
	}
	if results := toolResults(t, inner); len(results) != 1 {
		t.Errorf("the daemon's tool gave %q", results)
	}
}

// requireCarried wants a request of the user's with that text.
func requireCarried(t *testing.T, api *FakeAPI, text string) {
	t.Helper()
	if len(api.RequestsWith(text)) == 0 {
		t.Errorf("no request carries %q", text)
	}
}
