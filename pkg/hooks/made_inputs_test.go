package hooks_test

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
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
	return fields{
		"session_id": session, "cwd": "/home/dev/project", "hook_event_name": hookio.PostToolUse,
		"tool_name": tool, "tool_input": input, "tool_response": response,
	}
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
}
