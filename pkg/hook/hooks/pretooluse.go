package hooks

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// commandTokens is the maximum number of tokens of the memories for a command: an earlier failure and its fix are short.
const commandTokens = 300

// PreToolUse gives the model the memories about the file or command of a Read, Write, Edit, NotebookEdit or Bash call.
// It sends the task of a starting subagent to the daemon. It makes the client ask the user about a call by which the
// model would decide in a person's place.
var PreToolUse = hook.Hook{
	Event: hookio.PreToolUse,
	Run:   runPreToolUse,
	Off: func(ctx context.Context, call *hook.Call) (hookio.Output, error) { // while memory is off here, a call can still reach the memories of other projects
		output, _ := guard(ctx, call, markBusy) // which leaves no trace
		return output, nil
	},
}

// guard reports whether a call needs a person, and returns the answer if it does. If the call runs commands, it marks this by mark.
func guard(ctx context.Context, call *hook.Call, mark func(*hook.Call)) (output hookio.Output, asks bool) {
	switch call.Input.ToolName {
	case "Bash", "PowerShell", "Monitor", "Skill":
		mark(call)
	}
	verb, asks := needsPerson(ctx, call)
	if asks {
		output = askPerson(call, verb)
	}
	return output, asks
}

func runPreToolUse(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	input, tokens := call.Input.ToolInput, call.Config.Hooks.PreToolUseTokens
	if output, asks := guard(ctx, call, markCall); asks {
		return output, nil
	}
	switch file := fileIn(input); call.Input.ToolName {
	case "Read":
		return recallFile(ctx, call, daemonapi.ForRead, file, tokens)
	case "Write", "Edit", "NotebookEdit":
		return recallFile(ctx, call, daemonapi.ForWrite, file, tokens)
	case "Bash":
		command := describe.Text(input.String("command"))
		if command == "" {
			return hookio.Output{}, nil
		}
		return recall(ctx, call, daemonapi.RecallParams{
			Purpose: daemonapi.ForCommand, Command: memory.CommandKey(command), TokenBudget: min(tokens, commandTokens),
		})
	case "Agent", "Task":
		return hookio.Output{}, planSubagent(ctx, call)
	}
	return hookio.Output{}, nil
}

func fileIn(input hookio.Value) string {
	return cmp.Or(input.String("file_path"), input.String("notebook_path"))
}

// longCommand is the size in bytes of a command that may take the guard longer than the hook has.
const longCommand = 4096

// needsPerson returns the result of decides. A command that was cut off, or is not read in time, needs a person, too: it may
// have been made so long to escape the guard.
func needsPerson(ctx context.Context, call *hook.Call) (verb string, asks bool) {
	isRead := slices.Contains([]string{"Bash", "Monitor", "PowerShell", client.PatchTool}, call.Input.ToolName)
	if isRead && isCut(call.Input.ToolInput) {
		return "allow a call of more than 32 KB, which is too long to be checked", true
	}
	if len(call.Input.ToolInput.String("command")) < longCommand {
		return decides(call)
	}
	type decision struct {
		verb string
		asks bool
	}
	made := make(chan decision, 1)
	go func() {
		verb, asks := decides(call)
		made <- decision{verb, asks}
	}()
	select {
	case d := <-made:
		return d.verb, d.asks
	case <-ctx.Done():
		return "allow a call that takes too long to be checked", true
	}
}

// decides reports whether the model would decide in a person's place by a call, and what it would do.
func decides(call *hook.Call) (verb string, asks bool) {
	folders := append(call.Paths.FallbackSpools(), filepath.Dir(filepath.Dir(call.Executable))) // PLUGIN/libexec/pre-tool-use
	g, input := consent.NewGuard(call.Paths.Home, folders, call.Input.CWD, call.Getenv), call.Input.ToolInput
	switch call.Input.ToolName {
	case "Bash", "Monitor":
		return g.Line(input.String("command"))
	case "PowerShell":
		return g.PowerShell(input.String("command"))
	case "Write", "Edit", "NotebookEdit":
		return g.File(fileIn(input))
	case client.PatchTool:
		return g.Patch(input.String("command"))
	}
	return "", false
}

// askPerson returns the answer to a call that needs a person. In Claude Code it is the client's dialog, which no program can answer;
// without a person the dialog denies the call. Codex has no such dialog, so there the call is denied.
func askPerson(call *hook.Call, verb string) hookio.Output {
	if call.Client != "" {
		return hookio.Deny("Only a person may " + verb + ": ask the user to do it in a terminal. " + describe.Text(call.Input.ToolInput.String("command")))
	}
	if !call.IsRefused {
		markAsked(call)
	}
	return hookio.Ask("surrealdb-memory: only a person may " + verb + ". Allow this only if it is what you want.")
}

func recallFile(ctx context.Context, call *hook.Call, purpose, file string, budget int) (hookio.Output, error) {
	if file == "" {
		return hookio.Output{}, nil
	}
	return recall(ctx, call, daemonapi.RecallParams{Purpose: purpose, File: call.Project.Rel(file), TokenBudget: budget})
}

// planSubagent sends a subagent's task to the daemon, if one runs, because the SubagentStart event does not have the task.
func planSubagent(ctx context.Context, call *hook.Call) error {
	input := call.Input.ToolInput
	kind := input.String("subagent_type")
	if input.String("name") != "" {
		kind = "" // a teammate starts under its name if there are teams, else under its type: either may fit
	}
	err := call.Daemon().Notify(ctx, daemonapi.MethodPlanSubagent.Call(daemonapi.PlanSubagentParams{
		Session: call.Input.SessionID, Type: kind,
		Task: describe.Text(input.String("description") + "\n" + input.String("prompt")),
	}, nil))
	if errors.Is(err, daemonclient.ErrNoDaemon) {
		return nil
	}
	return err
}

// PermissionRequest allows calls of our MCP tools in allowedTools without asking the user. It decides nothing about other tools.
var PermissionRequest = hook.Hook{
	Event: hookio.PermissionRequest,
	Run: func(_ context.Context, call *hook.Call) (hookio.Output, error) {
		tool, ours := strings.CutPrefix(call.Input.ToolName, client.OwnTools)
		server := call.Input.McpServer
		if !ours || !slices.Contains(allowedTools, tool) || !isWhole(call) || server.String("name") != OwnServer || server.String("source") != OwnSource {
			return hookio.Output{}, nil
		}
		return hookio.Allow(), nil
	},
}

// OwnServer and OwnSource are the client's name for this plugin's MCP server, and its source. A repository can
// configure a server of the same name, but its source is not a plugin. Only a request with both is allowed.
const (
	OwnServer = "plugin:surrealdb-memory:memory"
	OwnSource = "plugin"
)

// allowedTools lists the tools that only read memories or add one. The client asks the user about a tool that changes a memory.
var allowedTools = []string{
	"store_memory", "recall_memories", "search_memories", "list_memories", "get_memories",
}

// isWhole reports whether the input is complete: a cut input does not show the whole call.
func isWhole(call *hook.Call) bool {
	return call.InputErr == nil && len(call.Input.CutFields) == 0 && !isCut(call.Input.ToolInput)
}

func isCut(v hookio.Value) bool {
	return v.Cut || slices.ContainsFunc(v.Items, isCut) ||
		slices.ContainsFunc(v.Fields, func(f hookio.Field) bool { return isCut(f.Value) })
}
