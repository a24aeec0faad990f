package sessionstart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
)

// distillOption is how the client hands on the user's answer to its question whether
// sessions may be distilled, the option "distill" in plugin.json.
const distillOption = "CLAUDE_PLUGIN_OPTION_DISTILL"

// dialogAnswer is the user's answer when the client asked: "true", "false", or nothing.
func dialogAnswer(call *hook.Call) string {
	if answer := call.Getenv(distillOption); answer == "true" || answer == "false" {
		return answer
	}
	return ""
}

// undecided tells the user about distillation, as long as nobody has switched it on or
// off, and twice at most. A program that runs the client shows it to nobody.
func undecided(call *hook.Call) (string, error) {
	if call.Config.Distill.Decided || dialogAnswer(call) != "" || !call.Config.Hooks.SessionStart.Notice ||
		call.Input.Source == sourceCompact || strings.HasPrefix(call.Getenv("CLAUDE_CODE_ENTRYPOINT"), "sdk") {
		return "", nil
	}
	for _, file := range call.Paths.DistillOffers() {
		mark, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil { // the user would be told at each start
			return "", fmt.Errorf("offer distillation: %w", err)
		}
		return fmt.Sprintf("surrealdb-memory: a model could write down what your sessions decide, for later ones to find. Nothing is sent to one unless you agree: "+
			"%s distill on, or %[1]s distill off (%[1]s distill --estimate 20 says what it costs)", command(call)), mark.Close()
	}
	return "", nil
}
