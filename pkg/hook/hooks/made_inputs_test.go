package hooks_test

import (
	"maps"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

type fields = map[string]any

// Secrets are put together here so that no scanner takes this file for a leak.
var (
	githubToken = "ghp" + "_" + strings.Repeat("a1B2", 9)
	awsKey      = "AK" + "IA" + "Q3EGR5XN2KDWJ7TB"
	password    = "Tr0ub4dor" + "-3zq"
	urlPassword = "c0rrect" + "h0rse"
	secrets     = []string{githubToken, awsKey, password, urlPassword}
)

const session = "00000000-0000-4000-8000-0000000000aa"

func prompt(text string) fields {
	return fields{"session_id": session, "cwd": "/home/dev/project", "hook_event_name": hookio.UserPromptSubmit, "prompt": text}
}

func toolUse(tool string, input, response fields) fields {
	return fields{"session_id": session, "cwd": "/home/dev/project", "hook_event_name": hookio.PostToolUse, "tool_name": tool, "tool_input": input, "tool_response": response}
}

func bash(command, stdout string) fields {
	return toolUse("Bash", fields{"command": command}, fields{"stdout": stdout, "stderr": "", "interrupted": false})
}

func bashFailure(command, failure string, interrupted bool) fields {
	return fields{
		"session_id": session, "cwd": "/home/dev/project", "hook_event_name": hookio.PostToolUseFailure,
		"tool_name": "Bash", "tool_input": fields{"command": command}, "error": failure, "is_interrupt": interrupted,
	}
}

// at is an input of any event.
func at(event string, more fields) fields {
	input := fields{"session_id": session, "cwd": "/home/dev/project", "hook_event_name": event}
	maps.Copy(input, more)
	return input
}

func beforeTool(tool string, input fields) fields {
	return at(hookio.PreToolUse, fields{"tool_name": tool, "tool_input": input})
}

func compacting(transcript string) fields {
	return at(hookio.PreCompact, fields{"trigger": "auto", "transcript_path": transcript})
}

// storeQuestion is a question of the assistant's, as its tool asks it.
var storeQuestion = fields{
	"question": "Which store should the queue use?", "header": "Store", "multiSelect": false,
	"options": []fields{{"label": "Postgres (Recommended)", "description": "One database less"}, {"label": "Redis", "description": ""}},
}

// madeInputs are inputs that nobody recorded, for the policies of the hooks.
var madeInputs = map[string]fields{
	"made-prompt-wholly-private":         prompt("  <private>private words</private>\n"),
	"made-prompt-private-without-end":    prompt("<Private kind=x>private words"),
	"made-prompt-partly-private":         prompt("Fix the parser.<private>private words</private>\n<system-reminder>injected words</system-reminder><surrealdb-memory>injected words</surrealdb-memory> Then tag it."),
	"made-prompt-only-injected":          prompt("<system-reminder>injected words</system-reminder>\n<surrealdb-memory>injected words</surrealdb-memory>"),
	"made-prompt-secrets":                prompt("Use " + githubToken + " and AWS_ACCESS_KEY_ID=" + awsKey + ", password: \"" + password + "\", postgres://app:" + urlPassword + "@db.internal/app"),
	"made-prompt-notification-indented":  prompt("\n  <task-notification>\n<status>completed</status></task-notification>"),
	"made-prompt-notification-reminded":  prompt("<system-reminder>injected words</system-reminder>\n<task-notification>\n<status>completed</status></task-notification>"),
	"made-prompt-about-notifications":    prompt("Why does <task-notification> appear in my prompts?"),
	"made-prompt-editor":                 prompt("<ide_selection>The user selected the line 3 from /home/dev/project/a.ts:\n// injected words\n</ide_selection>\nFix the parser."),
	"made-prompt-interrupted":            prompt("[Request interrupted by user for tool use]"),
	"made-prompt-without-session":        {"hook_event_name": hookio.UserPromptSubmit, "prompt": "whose?"},
	"made-bash-test":                     bash("cd api && go test ./...", "ok  \texample.com/api\t0.1s"),
	"made-bash-install-secrets":          bash("GITHUB_TOKEN="+githubToken+" npm install --password "+password, "using "+awsKey+"\nadded 3 packages"),
	"made-bash-build-private-output":     bash("make build", "start\n<private>private words "+strings.Repeat("private words ", 200)+"</private>\ndone"),
	"made-bash-deploy-secret-at-the-cut": bash("make deploy", "db_password = \""+password+"\""+strings.Repeat("\n", 1999-len(password)-len("deployed"))+"deployed"),
	"made-bash-migrate-long-output":      bash("alembic upgrade head", strings.Repeat("filler\n", 400)+"done"),
	"made-bash-ls":                       bash("ls -la", "a\nb"),
	"made-bash-echo":                     bash("echo make test", "make test"),
	"made-bash-interrupted":              toolUse("Bash", fields{"command": "make test"}, fields{"stdout": "half", "interrupted": true}),
	"made-bash-background":               toolUse("Bash", fields{"command": "make test", "run_in_background": true}, fields{"stdout": "", "backgroundTaskId": "b1"}),
	"made-bash-background-unanswered":    toolUse("Bash", fields{"command": "make test", "run_in_background": true}, nil),
	"made-write-secrets":                 toolUse("Write", fields{"file_path": "/home/dev/project/.env", "content": "API_KEY=1\nDB_PASSWORD=" + password + "\nTOKEN=" + githubToken + "\n<private>private words</private>\n"}, nil),
	"made-write-empty":                   toolUse("Write", fields{"file_path": "/home/dev/project/empty.txt", "content": ""}, nil),
	"made-write-outside":                 toolUse("Write", fields{"file_path": "/elsewhere/a.txt", "content": "a"}, nil),
	"made-write-cut":                     toolUse("Write", fields{"file_path": "/home/dev/project/big.txt", "content": strings.Repeat("0123456789abcde\n", 4000)}, nil),
	"made-write-without-file":            toolUse("Write", fields{"content": "a"}, nil),
	"made-edit-secrets":                  toolUse("Edit", fields{"file_path": "/home/dev/project/conf.yaml", "old_string": "token: " + githubToken, "new_string": "password: \"" + password + "\""}, nil),
	"made-edit-deletes":                  toolUse("Edit", fields{"file_path": "/home/dev/project/conf.yaml", "old_string": "debug: true\n", "new_string": ""}, nil),
	"made-failure-test":                  bashFailure("npm test", "Exit code 1\n1 failing", false),
	"made-failure-secrets":               bashFailure("curl -H 'Authorization: Bearer "+githubToken+"' https://x.test", "Exit code 22\nurl postgres://app:"+urlPassword+"@db/app\n<private>private words</private>\nkey "+awsKey, false),
	"made-failure-interrupted":           bashFailure("npm test", "Exit code 137\nkilled", true),
	"made-failure-long":                  bashFailure("make", "Exit code 2\n"+strings.Repeat("é", 3000), false),

	"made-prompt-own-command":          prompt("/surrealdb-memory:recall x"),
	"made-prompt-own-command-reminded": prompt("<system-reminder>injected words</system-reminder>\n /surrealdb-memory:recall x"),
	"made-prompt-other-command":        prompt("/review the parser"),
	"made-prompt-yes":                  prompt("yes"),
	"made-prompt-continue":             prompt(" Continue! "),
	"made-prompt-yes-and-more":         prompt("Yes, but keep the old parser."),

	"made-read":                   beforeTool("Read", fields{"file_path": "/home/dev/project/pkg/parse.go"}),
	"made-read-outside":           beforeTool("Read", fields{"file_path": "/elsewhere/a.txt"}),
	"made-read-without-file":      beforeTool("Read", fields{}),
	"made-before-edit":            beforeTool("Edit", fields{"file_path": "/home/dev/project/a.go", "old_string": "private words", "new_string": "b"}),
	"made-before-notebook-edit":   beforeTool("NotebookEdit", fields{"notebook_path": "/home/dev/project/plot.ipynb", "new_source": "x = 1"}),
	"made-before-bash-secrets":    beforeTool("Bash", fields{"command": "cd /tmp && curl --password " + password + " -H 'Authorization: Bearer " + githubToken + "' https://x.test"}),
	"made-before-bash-private":    beforeTool("Bash", fields{"command": "<private>private words</private>"}),
	"made-before-agent-secrets":   beforeTool("Agent", fields{"description": "look", "prompt": "use " + awsKey + " <private>private words</private>", "subagent_type": "helper"}),
	"made-before-agent-untyped":   beforeTool("Agent", fields{"prompt": "look"}),
	"made-before-agent-teammate":  beforeTool("Agent", fields{"description": "mate", "prompt": "do the task", "subagent_type": "general-purpose", "name": "mate"}),
	"made-notebook-edit":          toolUse("NotebookEdit", fields{"notebook_path": "/home/dev/project/plot.ipynb", "cell_id": "c1", "new_source": "x = 1\ny = 2"}, nil),
	"made-agent-background":       toolUse("Agent", fields{"prompt": "look"}, fields{"isAsync": true, "status": "async_launched", "agentId": "a1", "description": "look", "prompt": "look"}),
	"made-agent-private":          toolUse("Agent", fields{"prompt": "look"}, fields{"status": "completed", "agentType": "helper", "content": []fields{{"type": "text", "text": "Found it. <private>private"}, {"type": "text", "text": "words</private> It is " + awsKey}}}),
	"made-agent-without-report":   toolUse("Agent", fields{"prompt": "look"}, fields{"status": "completed", "agentType": "helper", "content": []fields{}}),
	"made-tool-todo-write":        toolUse("TodoWrite", fields{"todos": []fields{{"content": "x"}}}, nil),
	"made-tool-ask-user-question": toolUse("AskUserQuestion", fields{"question": "which?"}, nil),
	"made-answer": toolUse("AskUserQuestion", fields{"questions": []fields{storeQuestion}}, fields{
		"questions": []fields{storeQuestion}, "answers": fields{"Which store should the queue use?": "Postgres (Recommended)"},
		"annotations": fields{"Which store should the queue use?": fields{"notes": "the ops team has <private>private words</private> no Redis"}},
	}),
	"made-answer-typed":          toolUse("AskUserQuestion", fields{"questions": []fields{storeQuestion}}, fields{"answers": fields{}, "response": "Neither, use the spool with " + githubToken}),
	"made-answer-several-chosen": toolUse("AskUserQuestion", fields{"questions": []fields{storeQuestion}}, fields{"answers": fields{"Which store should the queue use?": []string{"Postgres", "Redis"}}}),
	"made-answer-of-nobody":      toolUse("AskUserQuestion", fields{"questions": []fields{storeQuestion}}, fields{"answers": fields{"Which store should the queue use?": "Redis"}, "afkTimeoutMs": 60000}),
	"made-answer-wholly-private": toolUse("AskUserQuestion", fields{"questions": []fields{storeQuestion}}, fields{"answers": fields{"Which store should the queue use?": "<private>private words</private>"}}),
	"made-plan-accepted":         toolUse("ExitPlanMode", fields{"plan": "# Queue\nWe keep jobs in Postgres, because there is no Redis."}, fields{"plan": "# Queue\nWe keep jobs in Postgres, because there is no Redis. <private>private words</private>", "isAgent": false}),
	"made-plan-of-a-subagent":    toolUse("ExitPlanMode", fields{"plan": "# Queue"}, fields{"plan": "# Queue", "isAgent": true}),
	"made-tool-slash-command":    toolUse("SlashCommand", fields{"command": "/x"}, nil),
	"made-tool-tool-search":      toolUse("ToolSearch", fields{"query": "memory"}, nil),
	"made-tool-list-resources":   toolUse("ListMcpResourcesTool", fields{}, nil),
	"made-tool-without-name":     toolUse("", fields{"a": "b"}, nil),
	"made-tool-own-mcp":          toolUse(ourPrefix+"recall_memories", fields{"query": "ports"}, nil),
	"made-tool-web-fetch":        toolUse("WebFetch", fields{"url": "https://x.test/doc", "prompt": "what is the limit?"}, fields{"result": "The limit is 5.", "code": 200}),
	"made-tool-mcp-secrets":      toolUse("mcp__vault__read", fields{"password": password, "api_token": githubToken, "url": "postgres://app:" + urlPassword + "@db/app"}, fields{"secret": awsKey}),
	"made-tool-mcp-private":      toolUse("mcp__x__write", fields{"text": "<private>private words</private> a fact"}, fields{"text": "<surrealdb-memory>injected words</surrealdb-memory> stored"}),
	"made-tool-long":             toolUse("mcp__x__write", fields{"a": strings.Repeat("é", 90), "b": strings.Repeat("b", 300), "c": strings.Repeat("é", 90)}, fields{"text": strings.Repeat("é", 3000)}),

	"made-permission-store": at(hookio.PermissionRequest, fields{"tool_name": ourPrefix + "store_memory", "tool_input": fact, "mcp_server": own}),

	"made-subagent-start":               at(hookio.SubagentStart, fields{"agent_id": "a1", "agent_type": "helper"}),
	"made-subagent-stop-untyped":        at(hookio.SubagentStop, fields{"agent_id": "a1", "agent_type": "", "last_assistant_message": "<summary>private words</summary>"}),
	"made-subagent-stop-without-report": at(hookio.SubagentStop, fields{"agent_id": "a1", "agent_type": "helper"}),
	"made-subagent-stop-again":          at(hookio.SubagentStop, fields{"agent_id": "a1", "agent_type": "helper", "stop_hook_active": true, "last_assistant_message": "Found " + awsKey + "."}),
	"made-task-private":                 at(hookio.TaskCompleted, fields{"task_id": "1", "task_subject": "Ship it <private>private words</private>", "task_description": "with " + githubToken, "teammate_name": "mate"}),
	"made-task-wholly-private":          at(hookio.TaskCompleted, fields{"task_id": "1", "task_subject": "<private>private words"}),
	"made-teammate-idle":                at(hookio.TeammateIdle, fields{"teammate_name": "mate", "agent_type": "mate"}),

	"made-compacting-no-transcript":      compacting(""),
	"made-compacted-with-tags":           at(hookio.PostCompact, fields{"trigger": "manual", "compact_summary": "<analysis>thoughts</analysis>\n<summary>\nThe parser was split.\n</summary>\nmore"}),
	"made-compacted-without-tags":        at(hookio.PostCompact, fields{"trigger": "manual", "compact_summary": "The parser was split."}),
	"made-compacted-private-across-tags": at(hookio.PostCompact, fields{"trigger": "auto", "compact_summary": "<analysis>a <private>b</analysis><summary>private words</private> The parser was split.</summary>"}),
	"made-compacted-injected":            at(hookio.PostCompact, fields{"trigger": "auto", "compact_summary": "<summary>It said <surrealdb-memory>injected words</surrealdb-memory>.</summary>"}),

	"made-stop":                  at(hookio.Stop, fields{"stop_hook_active": false, "last_assistant_message": "Done. <private>private words</private>"}),
	"made-stop-active":           at(hookio.Stop, fields{"stop_hook_active": true, "last_assistant_message": "Stored one memory."}),
	"made-stop-without-words":    at(hookio.Stop, fields{"stop_hook_active": false}),
	"made-stop-failure-limit":    at(hookio.StopFailure, fields{"error": "rate_limit", "last_assistant_message": "API Error: 429"}),
	"made-notification-untyped":  at(hookio.Notification, fields{"message": "private words"}),
	"made-session-start-compact": at(hookio.SessionStart, fields{"source": "compact"}),
}
