package client_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
)

func TestAClientInAClientsShellIsNested(t *testing.T) {
	for ancestors, want := range map[string]bool{
		"claude|zsh|terminal":                              false,
		"sh|claude|zsh|terminal":                           false,
		"claude|bash|claude|zsh":                           true,
		"sh|claude -p x|timeout 9|bash|python3|claude|zsh": true,
		"codex exec x|bash|claude|zsh":                     true,
		"claude -p x|bash|codex|zsh":                       true,
		"claude|node /usr/bin/claude|zsh":                  false, // a launcher
		"claude|node /usr/bin/claude|bash|claude|zsh":      true,
		"bash|zsh": false,
		"":         false,
		"/x/codex|node /x/@openai/codex/bin/codex.js|zsh":   false,
		"claude|code --type=utility|code":                   false,
		"claude|bash /home/u/bin/agents|tmux: server":       false,
		"node /x/@anthropic-ai/claude-code/cli.js|bash|npm": false,
	} {
		var all [][]string
		for one := range strings.SplitSeq(ancestors, "|") {
			all = append(all, strings.Split(one, " "))
		}
		if got := client.IsNested(all); got != want {
			t.Errorf("%s: nested is %v", ancestors, got)
		}
	}
}
