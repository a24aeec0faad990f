package agentclient

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

// startPause keeps a burst of hooks, or an agent that cannot start, from
// starting a process each time.
const startPause = 3 * time.Second

// endPoll is the pause between two checks whether a killed agent is gone.
const endPoll = 2 * time.Millisecond

// errHeld says that an agent that was killed still holds its lock.
var errHeld = errors.New("the agent was killed and still holds its lock")

// memoryd is the agent's program.
const memoryd = "memoryd"

// Agent is the agent of a home, as one program of the plugin sees it.
type Agent struct {
	Paths      paths.Layout
	Executable string // the path of the program that asks
	Now        func() time.Time
}

// Start starts the agent, detached from this process, its session and its
// standard streams, unless somebody did so within the last three seconds.
func (a Agent) Start() error {
	mark := a.Paths.StartMark()
	if info, err := os.Stat(mark); err == nil && a.Now().Sub(info.ModTime()).Abs() < startPause {
		return nil
	}
	if err := private.Make(filepath.Dir(mark)); err != nil {
		return fmt.Errorf("start the agent: %w", err)
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return fmt.Errorf("start the agent: %w", err)
	}
	return a.Launch()
}

// Launch is Start, also if somebody started one just before.
func (a Agent) Launch() error {
	const home = "MEMORY_HOME="
	env := slices.DeleteFunc(Environment(os.Environ()), func(pair string) bool { return strings.HasPrefix(pair, home) })
	env = append(env, home+a.Paths.Home) // the agent of this home, however it was found
	if err := launch(paths.Program(a.Executable, memoryd), a.Paths.Home, env); err != nil {
		return fmt.Errorf("start the agent: %w; build the plugin again or reinstall it", err)
	}
	return nil
}

// Caller is this program as the agent is to know it.
func (a Agent) Caller() agentapi.Caller {
	return agentapi.Caller{Program: paths.Program(a.Executable, memoryd), Path: os.Getenv("PATH")}
}

// Environment is the part of the environment that a program of ours passes on. A hook
// has its client's whole environment, API keys included, which a resident process must
// not hold.
func Environment(all []string) []string {
	var kept []string
	for _, pair := range all {
		name, _, _ := strings.Cut(pair, "=")
		if needed(name) {
			kept = append(kept, pair)
		}
	}
	return kept
}

func needed(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT",
		"CLAUDE_CONFIG_DIR", "XDG_RUNTIME_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS":
		return true
	}
	for _, prefix := range []string{"MEMORY_", "SURREAL_", "LC_", "npm_config_", "NPM_CONFIG_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
