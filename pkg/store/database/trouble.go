package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// errInstall means that the embedded engine could not be installed.
var errInstall = errors.New("the database engine could not be installed")

// maxShownError is the maximum number of bytes of an error that are shown to users; npm's errors can be long.
const maxShownError = 300

// Explain describes an error that keeps the daemon from its store, for the user, and names one command that helps.
func Explain(err error) daemonapi.Trouble {
	switch {
	case errors.Is(err, engine.ErrNoEngine):
		return daemonapi.Trouble{
			Problem: "no database engine was found: there is no Node.js 20 or newer on the PATH, and no Node.js can be downloaded for this system",
			Help:    "install Node.js (https://nodejs.org), and start a new session, or run", Command: "daemon start",
		}
	case errors.Is(err, engine.ErrFormat), errors.Is(err, memory.ErrDamaged):
		return daemonapi.Trouble{Problem: firstLine(err), Command: "backup rebuild --yes"}
	case errors.Is(err, memory.ErrStorage):
		return daemonapi.Trouble{Problem: "the store cannot write, because the disk is full or fails", Command: "doctor"}
	case errors.Is(err, errInstall):
		return daemonapi.Trouble{Problem: firstLine(err), Help: registryHelp, Command: "setup engine install"}
	case errors.Is(err, migrate.ErrNewer):
		return daemonapi.Trouble{
			Problem: firstLine(err) + "; the store stays unchanged",
			Help:    "claude plugin update surrealdb-memory@surrealdb-memory",
		}
	case errors.Is(err, private.ErrUnsafe):
		problem, remedy := private.Remedy(err)
		return daemonapi.Trouble{Problem: problem, Help: remedy + "; the daemon tries again within a minute, or at once after", Command: "daemon stop"}
	case errors.Is(err, wire.ErrAuth):
		return daemonapi.Trouble{Problem: firstLine(err), Help: "correct store.user, and store.pass or SURREAL_PASS", Command: "doctor"}
	}
	return daemonapi.Trouble{Problem: "the store is not available: " + firstLine(err), Command: "doctor"}
}

// registryHelp is the remedy if a download fails or takes too long.
const registryHelp = "check that this machine can reach the npm registry (is a proxy set?), then run"

// installing describes a running installation: the size of the download, the start time, and earlier failures.
func installing(since time.Time, failed []error) daemonapi.Trouble {
	trouble := daemonapi.Trouble{Problem: "the database engine is being installed (to download once: " + engine.DownloadSize +
		"), since " + since.Format(time.TimeOnly)}
	if n := len(failed); n > 0 {
		trouble.Problem += fmt.Sprintf(". This is attempt %d; the previous one failed: %s", n+1, firstLine(failed[n-1]))
		trouble.Help, trouble.Command = registryHelp, "setup engine install"
	}
	return trouble
}

// firstLine returns the first line of an error, at most maxShownError bytes, without the text of wire.ErrUnavailable.
func firstLine(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(strings.Replace(err.Error(), wire.ErrUnavailable.Error()+": ", "", 1)), "\n")
	if len(line) > maxShownError {
		line = strings.ToValidUTF8(line[:maxShownError], "") + " ..."
	}
	return line
}

// WriteTrouble writes the reason why the daemon could not start to a file, for the next session. It ignores errors.
func WriteTrouble(layout paths.Layout, err error) {
	content, jsonErr := json.Marshal(daemonapi.Trouble{Problem: "the daemon cannot start: " + firstLine(err), Command: "doctor"})
	if jsonErr != nil {
		return
	}
	_ = os.WriteFile(layout.Trouble(), content, 0o600)
}
