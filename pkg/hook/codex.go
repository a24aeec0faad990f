package hook

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// clientFlag names Codex, as the last argument but one, which calls the same programs as Claude Code.
const clientFlag = "--client"

// clientIn is the name behind the flag; empty for Claude Code.
func clientIn(args []string) string {
	if n := len(args); n >= 2 && args[n-2] == clientFlag {
		return args[n-1]
	}
	return ""
}

// serveCodex runs a hook of an event for Codex: once for each input that Claude Code would have sent. An input for
// another event is another program's, for Codex has fewer events than there are programs.
func serveCodex(name, event string, given hookio.Input, run func(hookio.Input) (hookio.Output, error)) (hookio.Output, error) {
	if name != client.Codex {
		return hookio.Output{}, fmt.Errorf("%s %q: only %s is known", clientFlag, name, client.Codex)
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

// merge adds the context and the message of one output to another, and its denial, if that has none.
func merge(a, b hookio.Output) hookio.Output {
	b.Denial = cmp.Or(b.Denial, a.Denial)
	b.AdditionalContext = strings.TrimPrefix(a.AdditionalContext+"\n"+b.AdditionalContext, "\n")
	b.SystemMessage = strings.TrimSpace(a.SystemMessage + "\n" + b.SystemMessage)
	return b
}

// foreign hides the variables of a Claude Code session in whose shell Codex may run; where the
// memory's home is stays the same.
func foreign(getenv func(string) string) func(string) string {
	return func(name string) string {
		if strings.HasPrefix(name, "CLAUDE_") && name != "CLAUDE_CONFIG_DIR" {
			return ""
		}
		return getenv(name)
	}
}
