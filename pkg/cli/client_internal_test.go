package cli

import "testing"

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
		got := callerOf(func(name string) string { return c.env[name] }, func() [][]string { return c.ancestors })
		if got != c.want {
			t.Errorf("%s: it runs in a session of %q, want %q", name, got, c.want)
		}
	}
}
