package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rescue"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// errInstall says that the embedded engine could not be installed.
var errInstall = errors.New("the database engine could not be installed")

// mostWhat bounds the part of an error that a user is shown, in bytes; npm's can be long.
const mostWhat = 300

// Explain puts an error that keeps the agent from its store into words for the user, with
// the one command that helps, and the version of this program.
func Explain(err error, version string) agentapi.Trouble {
	switch {
	case errors.Is(err, engine.ErrNoEngine):
		return agentapi.Trouble{
			What: "no database engine was found: there is neither Node.js 20 or newer nor a surreal 3.x on the PATH",
			Help: "install Node.js (https://nodejs.org); then the next session has it, or at once", Command: "agent start",
		}
	case rescue.IsDamaged(err):
		return agentapi.Trouble{What: "the store's files are damaged, and could not be rebuilt by themselves: " + firstLine(err), Command: "backup rebuild"}
	case errors.Is(err, memory.ErrStorage):
		return agentapi.Trouble{What: "the store cannot write, the disk is full or fails; what is captured waits", Command: "doctor"}
	case errors.Is(err, memory.ErrSchema):
		return agentapi.Trouble{What: "the store has not this version's schema, and what is captured waits: " + firstLine(err), Command: "doctor"}
	case errors.Is(err, errInstall):
		return agentapi.Trouble{What: firstLine(err), Help: registryHelp, Command: "setup engine install"}
	case errors.Is(err, migrate.ErrNewer):
		return agentapi.Trouble{
			What: "the store is of a newer version of the plugin than this (" + version + "), which leaves it as it is: " + firstLine(err),
			Help: "claude plugin update surrealdb-memory@surrealdb-memory; what is captured waits until then",
		}
	case errors.Is(err, wire.ErrAuth):
		return agentapi.Trouble{What: firstLine(err), Help: "correct SURREAL_USER and SURREAL_PASS", Command: "doctor"}
	}
	return agentapi.Trouble{What: "the store is not available: " + firstLine(err), Command: "doctor"}
}

// registryHelp is the remedy when npm fails or takes too long.
const registryHelp = "see that npm reaches its registry (npm ping; a proxy?), then"

// installing says that the engine is being installed, which downloads so much, since when, and how the attempts before went.
func installing(download string, since time.Time, failed []error) agentapi.Trouble {
	told := agentapi.Trouble{What: "the database engine is being installed (" + download + " to download, once), since " + since.Format(time.TimeOnly)}
	if n := len(failed); n > 0 {
		told.What += fmt.Sprintf("; this is attempt %d, the one before failed: %s", n+1, firstLine(failed[n-1]))
		told.Help, told.Command = registryHelp, "setup engine install"
	}
	return told
}

// firstLine is the part of an error that fits a message.
func firstLine(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if len(line) > mostWhat {
		line = strings.ToValidUTF8(line[:mostWhat], "") + " ..."
	}
	return line
}

// LeaveTrouble writes for the next session why the agent could not start. If the home
// cannot be written, the hook itself says so.
func LeaveTrouble(layout paths.Layout, err error) {
	content, jsonErr := json.Marshal(agentapi.Trouble{What: "the agent cannot start: " + firstLine(err), Command: "doctor"})
	if jsonErr != nil {
		return
	}
	_ = os.WriteFile(layout.Trouble(), content, 0o600)
}
