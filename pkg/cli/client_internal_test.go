package cli

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

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
		"a script of a script":             {nil, [][]string{shell, {"python3", "x.py"}, shell, {"claude", "--resume"}}, "Claude"},
		"Codex without its variables":      {nil, [][]string{shell, {"/opt/codex/bin/codex", "exec", "x"}}, "Codex"},
		"Codex of npm":                     {nil, [][]string{shell, {"node", "/usr/lib/node_modules/@openai/codex/bin/codex.js"}}, "Codex"},
		"an editor of a file named claude": {nil, [][]string{shell, {"vim", "claude"}}, ""},
		"a project of that name":           {nil, [][]string{shell, {"make", "-C", "/src/@anthropic-ai/claude-code/"}}, ""},
	} {
		got := clientAround(func(name string) string { return c.env[name] }, func() (all []process.Process) {
			for _, args := range c.ancestors {
				all = append(all, process.Process{Args: args})
			}
			return all
		})
		if got != c.want {
			t.Errorf("%s: it runs in a session of %q, want %q", name, got, c.want)
		}
	}
}

// TestAPersonsCommandBeganAfterTheTurn: what a model left in the background is no person's, however long it waits.
func TestAPersonsCommandBeganAfterTheTurn(t *testing.T) {
	mark := time.Now()
	at := func(seconds int, args ...string) process.Process {
		return process.Process{Args: args, Started: mark.Add(time.Duration(seconds) * time.Second)}
	}
	client := at(-900, "claude")
	for name, c := range map[string]struct {
		ancestors []process.Process
		want      bool
	}{
		"behind the client's !":        {[]process.Process{at(3, "/bin/bash"), client, at(-2000, "zsh")}, true},
		"in a script of a person's":    {[]process.Process{at(5, "sh"), at(4, "/bin/bash"), client}, true},
		"begun before the turn ended":  {[]process.Process{at(-20, "/bin/bash"), client}, false},
		"a new shell of an old script": {[]process.Process{at(60, "sh"), at(-20, "python3"), client}, false},
		"cut loose of its client":      {[]process.Process{at(60, "sh"), at(-9000, "systemd")}, false},
		"nobody's":                     {nil, false},
	} {
		e := environment{Ancestors: func() []process.Process { return c.ancestors }}
		if got := e.isStartedSince(mark); got != c.want {
			t.Errorf("%s: a person's is %v", name, got)
		}
	}
}
