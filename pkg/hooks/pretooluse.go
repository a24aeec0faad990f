package hooks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// commandTokens bounds the memories that a command is given: an earlier failure and its fix are short.
const commandTokens = 300

// PreToolUse gives the model the memories about the file or command that a tool is about to touch: Read, Write, Edit, NotebookEdit
// and Bash. It sends the agent the task of a subagent that is about to start, notes that a Skill, whose commands run, is used, and
// denies a command that only a person gives.
var PreToolUse = hook.Hook{
	Name:     "pre-tool-use",
	Event:    hookio.PreToolUse,
	Deadline: hook.Recall,
	Run:      runPreToolUse,
}

func runPreToolUse(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	input, budgets := call.Input.ToolInput, call.Config.Hooks.PreToolUse
	switch call.Input.ToolName {
	case "Read":
		return recallFile(ctx, call, agentapi.ForRead, input.String("file_path"), budgets.TokenBudget)
	case "Write":
		file := input.String("file_path")
		return recallFile(ctx, call, writePurpose(call, file), file, budgets.TokenBudget)
	case "Edit":
		return recallFile(ctx, call, agentapi.ForWrite, input.String("file_path"), budgets.TokenBudget)
	case "NotebookEdit":
		return recallFile(ctx, call, agentapi.ForWrite, input.String("notebook_path"), budgets.TokenBudget)
	case "Skill":
		markBusy(call) // its commands run, and a turn can begin without a prompt, as after a command behind the client's !
	case "Bash":
		markBusy(call)
		if verb, only := consent.PersonsLine(input.String("command")); only {
			return hookio.Deny("Only a person " + verb + ": ask the user to type it, alone, behind a ! or in a terminal."), nil
		}
		command := describe.Text(input.String("command"))
		if command == "" {
			return hookio.Output{}, nil
		}
		return recall(ctx, call, agentapi.RecallParams{
			Purpose: agentapi.ForCommand, Command: memory.CommandKey(command), TokenBudget: min(budgets.TokenBudget, commandTokens),
		})
	case "Agent", "Task":
		return hookio.Output{}, planSubagent(ctx, call)
	}
	return hookio.Output{}, nil
}

// writePurpose is the purpose of a recall before a file is written: a new file is recalled by
// its folder, too.
func writePurpose(call *hook.Call, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(call.Input.CWD, file)
	}
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return agentapi.ForCreate
	}
	return agentapi.ForWrite
}

func recallFile(ctx context.Context, call *hook.Call, purpose, file string, budget int) (hookio.Output, error) {
	if file == "" {
		return hookio.Output{}, nil
	}
	return recall(ctx, call, agentapi.RecallParams{Purpose: purpose, File: call.Project.Rel(file), TokenBudget: budget})
}

// planSubagent sends the task to the agent: the SubagentStart event does not carry it.
// Without an agent there is no briefing anyway.
func planSubagent(ctx context.Context, call *hook.Call) error {
	client, err := agentclient.Dial(ctx, call.Paths.Socket())
	if errors.Is(err, agentclient.ErrNoAgent) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	input := call.Input.ToolInput
	kind := input.String("subagent_type")
	if input.String("name") != "" {
		kind = "" // a teammate starts under its name where there are teams, else under its type
	}
	return client.Notify(ctx, agentapi.MethodPlanSubagent.Call(agentapi.PlanSubagentParams{
		Session: call.Input.SessionID, Type: kind,
		Task: describe.Text(input.String("description") + "\n" + input.String("prompt")),
	}, nil))
}
