package hook

import (
	"strconv"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

// atFlag gives, as the last argument but one, the time of an event that happened before the programs were installed, in seconds
// since 1970, with a fraction that keeps the order of those of one second: plugin/hooks/replay.sh.
const atFlag = "--at"

const (
	replayLimit = 10 * time.Second // no session waits
	exitAgain   = 1                // the event is in no spool and has to be handed over again
)

// pastIn is the time behind the flag; zero without one.
func pastIn(args []string) time.Time {
	n := len(args)
	if n < 2 || args[n-2] != atFlag {
		return time.Time{}
	}
	seconds, err := strconv.ParseFloat(args[n-1], 64)
	if err != nil || !(seconds > 0 && seconds < 1e11) { // nor NaN
		return time.Time{}
	}
	return time.UnixMicro(int64(seconds * 1e6))
}

// capturing are settings with which hooks capture, and inject nothing.
func capturing(cfg config.Config) config.Config {
	h := &cfg.Hooks
	h.UserPrompt.TokenBudget, h.PreToolUse.TokenBudget, h.SubagentStart.TokenBudget = 0, 0, 0
	h.Notices = false
	return cfg
}
