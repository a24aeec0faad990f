package hook

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// clientFlag is the argument before the name of a calling client other than Claude Code.
const clientFlag = "--client"

// valueOf returns the argument after a flag, if these are the last two, or "".
func valueOf(flag string, args []string) string {
	if n := len(args); n >= 2 && args[n-2] == flag {
		return args[n-1]
	}
	return ""
}

// serveCodex runs a hook for Codex, once for each input that Claude Code would have sent. Inputs for another event are
// left to that event's program.
func serveCodex(name, event string, given hookio.Input, run func(hookio.Input) (hookio.Output, error)) (hookio.Output, error) {
	if name != client.Codex {
		return hookio.Output{}, fmt.Errorf("%s %q: the only value is %s", clientFlag, name, client.Codex)
	}
	var merged hookio.Output
	var failed []error
	for _, input := range client.CodexInputs(given) {
		if input.HookEventName != event {
			continue
		}
		output, err := run(input)
		merged, failed = merge(merged, output), append(failed, err)
	}
	return client.CodexOutput(given.HookEventName, merged), errors.Join(failed...)
}

// merge joins the contexts and messages of two outputs. The denial of b wins.
func merge(a, b hookio.Output) hookio.Output {
	b.Denial = cmp.Or(b.Denial, a.Denial)
	b.AdditionalContext = strings.TrimPrefix(a.AdditionalContext+"\n"+b.AdditionalContext, "\n")
	b.SystemMessage = strings.TrimSpace(a.SystemMessage + "\n" + b.SystemMessage)
	return b
}

// foreign hides Claude Code's variables from getenv, because Codex may run in the shell of a Claude Code session.
// CLAUDE_CONFIG_DIR stays visible: it locates the memory's home.
func foreign(getenv func(string) string) func(string) string {
	return func(name string) string {
		if strings.HasPrefix(name, "CLAUDE_") && name != "CLAUDE_CONFIG_DIR" {
			return ""
		}
		return getenv(name)
	}
}
