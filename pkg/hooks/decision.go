package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
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

// distillQuestion asks the user whether a model may be given the words of ended sessions.
func distillQuestion(d config.Distill, command string) string {
	return fmt.Sprintf("surrealdb-memory: a model can write down the decisions of each session, which makes the injected memories several times more helpful. "+
		"The redacted words of a session would go to %s, when it has ended, at most %d tokens (%s distill --estimate 20 prices your last sessions). "+
		"Nothing is sent until you answer. Yes: %[3]s distill on. No: %[3]s distill off.", d.Receiver(), d.SessionTokens, command)
}

// askAgainAfter is how long after the question it is asked once more, if nobody has answered.
const askAgainAfter = 7 * 24 * time.Hour

// askToDistill asks the user about distillation, as long as nobody has switched it on or off: once there is a session to look
// back on, and once more a week later. A program that runs the client shows it to nobody.
func askToDistill(call *hook.Call) (string, error) {
	if call.Config.Distill.Decided || dialogAnswer(call) != "" || !call.Config.Hooks.SessionStart.Notice ||
		call.Input.Source == sourceCompact || strings.HasPrefix(call.Getenv("CLAUDE_CODE_ENTRYPOINT"), "sdk") || !hasPast(call) {
		return "", nil
	}
	for _, file := range call.Paths.DistillOffers() {
		switch offered, err := os.Stat(file); {
		case err == nil && call.Now().Sub(offered.ModTime()) < askAgainAfter:
			return "", nil
		case err == nil:
			continue
		}
		mark, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) { // another session has just asked
			return "", nil
		}
		if err != nil { // the user would be asked at each start
			return "", fmt.Errorf("offer distillation: %w", err)
		}
		return distillQuestion(call.Config.Distill, cliCommand(call)), mark.Close()
	}
	return "", nil
}

// hasPast reports whether an event was ever stored: the agent journals each. Without a journal it is assumed.
func hasPast(call *hook.Call) bool {
	_, err := os.Stat(call.Paths.Journal())
	return err == nil || call.Config.Backup.JournalDays == 0
}
