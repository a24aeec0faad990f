package hook

import (
	"strconv"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

// atFlag is the argument before the time of an event that happened before the programs were installed: seconds since
// 1970 with a fraction, so that events of the same second stay in order. See plugin/hooks/replay.sh.
const atFlag = "--at"

const (
	replayLimit = 10 * time.Second // no session waits
	exitAgain   = 1                // the exit code if the event is in no spool: plugin/hooks/replay.sh must send it again
)

// pastIn returns the time after atFlag, or the zero time.
func pastIn(args []string) time.Time {
	seconds, err := strconv.ParseFloat(valueOf(atFlag, args), 64)
	if err != nil || !(seconds > 0 && seconds < 1e11) { // the negation also excludes NaN
		return time.Time{}
	}
	return time.UnixMicro(int64(seconds * 1e6))
}

// capturing returns settings with which hooks capture but inject and show nothing.
func capturing(cfg config.Config) config.Config {
	h := &cfg.Hooks
	h.PromptTokens, h.PreToolUseTokens, h.SubagentTokens = 0, 0, 0
	h.Notices = false
	return cfg
}
