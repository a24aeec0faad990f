package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
)

// distillQuestion returns the question whether a model may read the words of ended sessions. It names the receiver that
// the settings file names, because the daemon reads the same file.
func distillQuestion(call *hook.Call) string {
	d := call.Config.Distill
	return fmt.Sprintf("surrealdb-memory: a model can write down the decisions of each session, which makes the injected memories several times more helpful. "+
		"When a session has ended, its redacted words, at most %d tokens, would go to %s; %s shows what your last sessions would cost. "+
		"Nothing is sent until you answer. Yes: %s. No: %s.", d.SessionTokens, d.Receiver(),
		cliCommand(call, "distill --estimate 20"), cliCommand(call, "distill on"), cliCommand(call, "distill off"))
}

// askAgainAfter is the time after which an unanswered question is asked a second time.
const askAgainAfter = 7 * 24 * time.Hour

// askToDistill returns the question about distillation, or "" if it is not due. It is asked once there is a past
// session (hasPast), again a week later, and a last time when the daemon has estimated the sessions since. It is never
// asked after an answer, or if a program runs the client.
func askToDistill(call *hook.Call) (string, error) {
	if !isAskable(call) {
		return "", nil
	}
	for _, marker := range call.Paths.DistillOffers() {
		switch offered, err := os.Stat(marker); {
		case err == nil && call.Now().Sub(offered.ModTime()) < askAgainAfter:
			return "", nil
		case err == nil:
			continue
		}
		file, err := os.OpenFile(marker, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		switch {
		case errors.Is(err, fs.ErrExist): // another session was faster
			return "", nil
		case err != nil: // without the marker the user would be asked at each start
			return "", fmt.Errorf("ask about distillation: %w", err)
		}
		return distillQuestion(call), file.Close()
	}
	return "", nil
}

// isAskable reports whether the question is unanswered and a person is there to answer it.
func isAskable(call *hook.Call) bool {
	return !call.Config.Distill.Decided && call.Config.Hooks.Notices &&
		call.Input.Source != sourceCompact && !programListens(call)
}

// hasPast reports whether an event was ever stored; the daemon's journal then exists. If the journal is switched off, it returns true.
func hasPast(call *hook.Call) bool {
	_, err := os.Stat(call.Paths.Journal())
	return err == nil || call.Config.Backup.JournalDays == 0
}
