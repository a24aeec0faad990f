package hook

import (
	"errors"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// clientFlag names, as the last argument but one, another client than Claude Code.
const clientFlag = "--client"

// clientIn is the name behind the flag; empty for Claude Code.
func clientIn(args []string) string {
	if n := len(args); n >= 2 && args[n-2] == clientFlag {
		return args[n-1]
	}
	return ""
}

// serveOther runs a hook of an event for another client: once for each input that Claude Code would have sent. An
// input for another event is another program's, for the client has fewer events than there are programs.
func serveOther(name, event string, given hookio.Input, run func(hookio.Input) (hookio.Output, error)) (hookio.Output, error) {
	other, known := client.Named(name)
	if !known {
		return hookio.Output{},
			fmt.Errorf("%s %q: no client of that name is known: memory setup clients lists them", clientFlag, name)
	}
	var merged hookio.Output
	var failed []error
	for _, input := range other.Inputs(given) {
		if input.HookEventName != event {
			continue
		}
		output, err := run(input)
		merged, failed = merge(merged, output), append(failed, err)
	}
	return other.Output(given.HookEventName, merged), errors.Join(failed...)
}

// merge adds the context and the message of one output to another.
func merge(a, b hookio.Output) hookio.Output {
	b.AdditionalContext = strings.TrimPrefix(a.AdditionalContext+"\n"+b.AdditionalContext, "\n")
	b.SystemMessage = strings.TrimSpace(a.SystemMessage + "\n" + b.SystemMessage)
	return b
}

// foreign hides the variables of a Claude Code session in whose shell another client may run; where the
// memory's home is stays the same.
func foreign(getenv func(string) string) func(string) string {
	return func(name string) string {
		if strings.HasPrefix(name, "CLAUDE_") && name != "CLAUDE_CONFIG_DIR" {
			return ""
		}
		return getenv(name)
	}
}
