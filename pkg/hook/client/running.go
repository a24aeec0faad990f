package client

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// NameOf returns Claude or Codex if a process with these arguments is that client, else "". The client may be a script that a runtime
// runs, with the runtime's options before it, or a file in the folder in which the client keeps its versions.
func NameOf(args []string) string {
	program := strings.ReplaceAll(args[0], `\`, "/")
	if runtimes[strings.TrimRight(nameOf(program), "0123456789.")] {
		for i, arg := range args[1:] {
			if !strings.HasPrefix(arg, "-") && arg != "run" && !valued[args[i]] { // args[i] is the one before
				program = strings.ReplaceAll(arg, `\`, "/")
				break
			}
		}
	}
	switch name := nameOf(program); {
	case name == "claude" || name == "claude-code" || name == ".claude-wrapped" || strings.Contains(program, "/@anthropic-ai/claude-code/") || strings.Contains(program, "/share/claude/versions/"):
		return "Claude"
	case name == "codex" || strings.Contains(program, "/@openai/codex/"):
		return "Codex"
	}
	return ""
}

// runtimes are the programs that run a client's script, and valued their options before a value.
var (
	runtimes = map[string]bool{"node": true, "nodejs": true, "bun": true, "deno": true}
	valued   = map[string]bool{"-r": true, "--require": true, "--import": true, "--loader": true, "-C": true, "--conditions": true, "--preload": true}
)

func nameOf(program string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path.Base(program)), ".exe"), ".js")
}

// Around returns the client in whose session a process runs, by its environment and ancestors; "" for none. A
// program that a client starts for a repository (an apiKeyHelper, a hook, an MCP server) may lack the client's
// variables, and a model can unset them. Both still descend from the client, unless they detach themselves.
func Around(getenv func(string) string, ancestors func() []process.Process) string {
	switch {
	case getenv("CODEX_THREAD_ID") != "" || getenv("CODEX_SANDBOX") != "":
		return "Codex"
	case getenv("CLAUDECODE") != "":
		return "Claude"
	}
	if ancestors == nil {
		return ""
	}
	for _, p := range ancestors() {
		if name := NameOf(p.Args); name != "" {
			return name
		}
	}
	return ""
}

// PID returns the number of the process of the client from which this process descends, or 0 if it is unknown. Claude Code gives its hooks
// CLAUDE_PID. Without it the system is asked, which on some systems starts a program for each ancestor.
func PID(getenv func(string) string) int {
	if pid, err := strconv.Atoi(getenv("CLAUDE_PID")); err == nil {
		return pid
	}
	return append(PIDs(process.Ancestors()), 0)[0]
}

// PIDs returns the numbers of the processes of the nearest client among a process's ancestors, the nearest first. One client
// may be a chain of several processes.
func PIDs(ancestors []process.Process) (pids []int) {
	for _, p := range ancestors {
		switch isClient := NameOf(p.Args) != ""; {
		case isClient:
			pids = append(pids, p.PID)
		case len(pids) > 0:
			return pids
		}
	}
	return pids
}

// IsNested reports whether a client was started by a command of another client, so that a model writes its prompts. It takes the
// ancestors of a process, the nearest first.
func IsNested(ancestors []process.Process) bool {
	var last *process.Process // of a client
	isLeft := false
	for i, p := range ancestors {
		switch {
		case NameOf(p.Args) == "":
			isLeft = last != nil
		case last != nil && (isLeft || !IsLauncher(p, *last)):
			return true
		default:
			last = &ancestors[i]
		}
	}
	return false
}

// startTime is the longest time in which a launcher starts its client.
const startTime = 10 * time.Second

// IsLauncher reports whether parent only launches child, of the same client. Otherwise a command of parent has started child: then child is another client,
// started late, or answers one prompt although parent answers more.
func IsLauncher(parent, child process.Process) bool {
	answersOnce := func(p process.Process) bool {
		return slices.ContainsFunc(p.Args, func(arg string) bool { return arg == "-p" || arg == "--print" || arg == "exec" })
	}
	isLate := !parent.Started.IsZero() && child.Started.Sub(parent.Started) > startTime
	return NameOf(parent.Args) == NameOf(child.Args) && !isLate && (answersOnce(parent) || !answersOnce(child))
}

// ShellCommand returns the command for which Claude Code, with its settings in dir, has started a shell with these arguments. It returns ""
// for another process. Such a shell reads the client's snapshot of the user's shell, a file with a random name, and then evals the command.
// A shell without a snapshot may as well be a hook, a status line or a server.
func ShellCommand(args []string, dir string) string {
	isShell := false
	for _, one := range shell.Simples(strings.Join(args, " ")) {
		n := len(one.Words)
		if !isShell && n > 1 && one.Words[n-2] == "source" {
			_, err := os.Stat(filepath.Join(dir, "shell-snapshots", filepath.Base(one.Words[n-1])))
			isShell = err == nil
		}
		if isShell && n == 2 && one.Words[0] == "eval" {
			return one.Words[1]
		}
	}
	return ""
}

// Hash returns a hash of a command, which may contain a secret. Runs of spaces count as one, because ps shows them so.
func Hash(command string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(command), " ")))
	return hex.EncodeToString(sum[:8])
}
