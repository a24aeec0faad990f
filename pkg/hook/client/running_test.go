package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

func TestAClientInAClientsShellIsNested(t *testing.T) {
	for ancestors, want := range map[string]bool{
		"claude|zsh|terminal":                               false,
		"sh|claude|zsh|terminal":                            false,
		"claude|bash|claude|zsh":                            true,
		"sh|claude -p x|timeout 9|bash|python3|claude|zsh":  true,
		"codex exec x|bash|claude|zsh":                      true,
		"claude -p x|bash|codex|zsh":                        true,
		"claude|node /usr/bin/claude|zsh":                   false, // a launcher
		"claude|node /usr/bin/claude|bash|claude|zsh":       true,
		"claude -p x|claude|zsh":                            true, // exec
		"claude --print x|node /usr/bin/claude|zsh":         true,
		"codex exec x|claude|zsh":                           true,
		"claude --continue|claude EARLY|zsh":                true,
		"claude -p x|node /usr/bin/claude -p x|zsh":         false,
		"claude -p x|node /usr/bin/claude -p x|bash|claude": true,
		"bash|zsh": false,
		"":         false,
		"/x/codex|node /x/@openai/codex/bin/codex.js|zsh":   false,
		"claude|code --type=utility|code":                   false,
		"claude|bash /home/u/bin/agents|tmux: server":       false,
		"node /x/@anthropic-ai/claude-code/cli.js|bash|npm": false,
	} {
		var all []process.Process
		for one := range strings.SplitSeq(ancestors, "|") {
			started := time.Unix(1000, 0)
			if one, _, isEarly := strings.Cut(one, " EARLY"); isEarly {
				all = append(all, process.Process{Args: strings.Split(one, " "), Started: started.Add(-time.Minute)})
				continue
			}
			all = append(all, process.Process{Args: strings.Split(one, " "), Started: started})
		}
		musttest.Same(t, want, client.IsNested(all), "%s: nested", ancestors)
	}
}

// TestAClientsProcessesAreNoPersons, whatever their environment says.
func TestAClientsProcessesAreNoPersons(t *testing.T) {
	shell, terminal := []string{"/bin/bash"}, []string{"/usr/bin/gnome-terminal-server"}
	for name, c := range map[string]struct {
		env       map[string]string
		ancestors [][]string
		want      string
	}{
		"a terminal":                       {nil, [][]string{shell, terminal}, ""},
		"an editor's terminal":             {nil, [][]string{{"-zsh"}, {"/usr/share/code/code", "--type=utility"}}, ""},
		"nothing is known":                 {nil, nil, ""},
		"Claude's shell":                   {map[string]string{"CLAUDECODE": "1"}, nil, "Claude"},
		"Codex's shell":                    {map[string]string{"CODEX_THREAD_ID": "1"}, nil, "Codex"},
		"Codex's sandbox":                  {map[string]string{"CODEX_SANDBOX": "seatbelt"}, nil, "Codex"},
		"Codex in Claude's shell":          {map[string]string{"CLAUDECODE": "1", "CODEX_THREAD_ID": "1"}, nil, "Codex"},
		"an apiKeyHelper":                  {nil, [][]string{{"sh", "-c", "memory distill on"}, {"claude"}, shell, terminal}, "Claude"},
		"env -u CLAUDECODE":                {nil, [][]string{{"/bin/zsh", "-c", "env -u CLAUDECODE memory open"}, {"/home/u/.local/bin/claude", "-p"}}, "Claude"},
		"the client of npm":                {nil, [][]string{shell, {"node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"}}, "Claude"},
		"the client of npm, by its link":   {nil, [][]string{shell, {"/usr/bin/node", "/usr/bin/claude"}}, "Claude"},
		"the client of an editor":          {nil, [][]string{shell, {"/home/u/.vscode/extensions/anthropic.claude-code-2/resources/native-binary/claude"}}, "Claude"},
		"the client of its installer":      {nil, [][]string{shell, {"/home/u/.local/share/claude/versions/2.1.329", "-p"}}, "Claude"},
		"with options of node":             {nil, [][]string{shell, {"node", "--max-old-space-size=8192", "--no-warnings", "/usr/bin/claude"}}, "Claude"},
		"of bun":                           {nil, [][]string{shell, {"/opt/bin/bun", "run", "--smol", "/x/@anthropic-ai/claude-code/cli.js"}}, "Claude"},
		"with a module of node":            {nil, [][]string{shell, {"node22", "-r", "/x/pre.js", "--import", "tsx", "/x/@anthropic-ai/claude-code/cli.js"}}, "Claude"},
		"a service of that name":           {nil, [][]string{shell, {"/srv/claude/versions/3/server"}}, ""},
		"of Nix":                           {nil, [][]string{shell, {"/nix/store/x/bin/.claude-wrapped"}}, "Claude"},
		"on Windows":                       {nil, [][]string{shell, {`C:\Users\u\.local\bin\Claude.EXE`, "-p"}}, "Claude"},
		"Codex on Windows":                 {nil, [][]string{shell, {`C:\nodejs\node.exe`, `C:\npm\node_modules\@openai\codex\bin\codex.js`}}, "Codex"},
		"another program of node":          {nil, [][]string{shell, {"node", "--inspect", "server.js", "claude"}}, ""},
		"node itself":                      {nil, [][]string{shell, {"node", "--interactive"}}, ""},
		"a folder of that name":            {nil, [][]string{shell, {"/home/u/claude/bin/serve"}}, ""},
		"a script of a script":             {nil, [][]string{shell, {"python3", "x.py"}, shell, {"claude", "--resume"}}, "Claude"},
		"Codex without its variables":      {nil, [][]string{shell, {"/opt/codex/bin/codex", "exec", "x"}}, "Codex"},
		"Codex of npm":                     {nil, [][]string{shell, {"node", "/usr/lib/node_modules/@openai/codex/bin/codex.js"}}, "Codex"},
		"an editor of a file named claude": {nil, [][]string{shell, {"vim", "claude"}}, ""},
		"a project of that name":           {nil, [][]string{shell, {"make", "-C", "/src/@anthropic-ai/claude-code/"}}, ""},
	} {
		got := client.Around(func(name string) string { return c.env[name] }, func() (all []process.Process) {
			for _, args := range c.ancestors {
				all = append(all, process.Process{Args: args})
			}
			return all
		})
		musttest.Same(t, c.want, got, "%s: it runs in a session of", name)
	}
}

// TestTheClientOfAProcessIsTheNearest, whatever a model says about sessions: marks of consent are named after its process.
func TestTheClientOfAProcessIsTheNearest(t *testing.T) {
	is := func(pid int, args ...string) process.Process { return process.Process{PID: pid, Args: args} }
	for name, c := range map[string]struct {
		ancestors []process.Process
		want      []int
	}{
		"a hook":                    {[]process.Process{is(9, "sh"), is(5, "claude"), is(2, "zsh")}, []int{5}},
		"a client of two processes": {[]process.Process{is(9, "sh"), is(5, "claude"), is(4, "node", "/usr/bin/claude"), is(2, "zsh")}, []int{5, 4}},
		"a client's client":         {[]process.Process{is(9, "sh"), is(5, "claude"), is(4, "bash"), is(3, "claude"), is(2, "zsh")}, []int{5}},
		"a terminal":                {[]process.Process{is(9, "zsh"), is(2, "xterm")}, nil},
	} {
		musttest.Same(t, c.want, client.PIDs(c.ancestors), "%s", name)
	}
}
