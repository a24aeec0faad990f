package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// distillQuestion asks the user whether a model may be given the words of ended sessions. It names the receiver that the daemon
// would use, whatever this session's environment has.
func distillQuestion(call *hook.Call, d daemonapi.DistillState) string {
	return fmt.Sprintf("surrealdb-memory: a model can write down the decisions of each session, which makes the injected memories several times more helpful. "+
		"The redacted words of a session would go to %s, when it has ended, at most %d tokens (%s prices your last sessions). "+
		"Nothing is sent until you answer. Yes: %s. No: %s.", paths.Shorten(d.Receiver, ""), d.SessionTokens,
		cliCommand(call, "distill --estimate 20"), cliCommand(call, "distill on"), cliCommand(call, "distill off"))
}

// lastQuestion has the daemon's estimate of what a model would have cost and kept since the question.
func lastQuestion(call *hook.Call, b daemonapi.DistillBill) string {
	return fmt.Sprintf("surrealdb-memory: a model would have kept some %d to %d facts of your last %d sessions, for at most $%.2f by its list price, from %s. "+
		"Nothing was sent. Yes: %s. This is not asked again.", b.LeastFacts, b.MostFacts, b.Sessions,
		max(b.USD, 0.01), paths.Shorten(b.Receiver, ""),
		cliCommand(call, "distill on"))
}

// askAgainAfter is how long after the question it is asked once more, if nobody has answered.
const askAgainAfter = 7 * 24 * time.Hour

// askToDistill asks the user about distillation, as long as nobody has switched it on or off: once there is a session to look
// back on (hasPast), once more a week later, and a last time when the daemon has estimated the sessions since. A program that runs the
// client shows it to nobody.
func askToDistill(ctx context.Context, call *hook.Call) (string, error) {
	marks := call.Paths.DistillOffers()
	last := marks[len(marks)-1]
	if _, err := os.Stat(last); err == nil || !isAskable(call) {
		return "", nil
	}
	if text, err := os.ReadFile(call.Paths.DistillBill()); err == nil {
		return askLast(call, text, last)
	}
	for _, mark := range marks[:len(marks)-1] {
		switch offered, err := os.Stat(mark); {
		case err == nil && call.Now().Sub(offered.ModTime()) < askAgainAfter:
			return "", nil
		case err == nil:
			continue
		}
		state, err := distillState(ctx, call)
		if err != nil || state.Enabled {
			return "", err
		}
		isNew, err := isMarked(mark)
		if !isNew {
			return "", err
		}
		return distillQuestion(call, state), nil
	}
	return "", nil
}

// isAskable says whether nobody has answered, and somebody is there who can.
func isAskable(call *hook.Call) bool {
	return !call.Config.Distill.Decided && call.Config.Hooks.Notices &&
		call.Input.Source != sourceCompact && !programListens(call)
}

// askLast asks with the daemon's estimate.
func askLast(call *hook.Call, estimate []byte, mark string) (string, error) {
	var bill daemonapi.DistillBill
	if err := json.Unmarshal(estimate, &bill); err != nil {
		return "", fmt.Errorf("ask about distillation: %s: %w", call.Paths.DistillBill(), err)
	}
	isNew, err := isMarked(mark)
	if !isNew {
		return "", err
	}
	return lastQuestion(call, bill), nil
}

// isMarked makes a mark, and is false if another session has made it. One that cannot be made counts as there: the user would
// be asked at each start.
func isMarked(file string) (isNew bool, err error) {
	mark, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask about distillation: %w", err)
	}
	return true, mark.Close()
}

// distillState is what the daemon has in force of distillation.
func distillState(ctx context.Context, call *hook.Call) (state daemonapi.DistillState, err error) {
	client, err := daemonclient.Dial(ctx, call.Paths.Socket())
	if err == nil {
		defer func() { _ = client.Close() }()
		err = client.Call(ctx, daemonapi.MethodSwitchDistill.Call(daemonapi.None{}, &state))
	}
	if err != nil {
		return state, fmt.Errorf("ask about distillation: %w", err)
	}
	return state, nil
}

// hasPast reports whether an event was ever stored: the daemon journals each. Without a journal it is assumed.
func hasPast(call *hook.Call) bool {
	_, err := os.Stat(call.Paths.Journal())
	return err == nil || call.Config.Backup.JournalDays == 0
}
