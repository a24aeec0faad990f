package agentclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

const (
	// beatLimit is how old the heartbeat of an agent in use may be: it beats every five
	// seconds. An agent with an older heartbeat is pinged.
	beatLimit = 15 * time.Second
	// pingLimit is how long a living agent may take to answer a ping.
	pingLimit = 50 * time.Millisecond
)

// Revive replaces an agent that hangs: one without a heartbeat for 15 seconds, or with one
// from the future, that does not answer a ping either. (An idle agent has no heartbeat but
// answers.) With a recent heartbeat it costs one stat.
func (a Agent) Revive(ctx context.Context) error {
	if !a.isSilent() || a.Answers(ctx, pingLimit) {
		return nil
	}
	pid := PID(a.Paths)
	if !a.isSilent() { // another process was faster: that pid is the new agent's
		return nil
	}
	if err := End(ctx, a.Paths, pid); err != nil {
		return fmt.Errorf("replace the agent that hangs: %w", err)
	}
	_ = os.Remove(a.Paths.Beat())
	_ = os.Remove(a.Paths.StartMark())
	return a.Start()
}

func (a Agent) isSilent() bool {
	info, err := os.Stat(a.Paths.Beat())
	return err == nil && a.Now().Sub(info.ModTime()).Abs() > beatLimit
}

// Answers tells whether a living agent is there, whatever the state of its store.
func (a Agent) Answers(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := Dial(ctx, a.Paths.Socket())
	if err != nil {
		return false
	}
	defer func() { _ = client.Close() }()
	var refused *agentapi.Error // an older agent does not know the question, and lives
	err = client.Call(ctx, agentapi.MethodPing.Call(agentapi.None{}, nil))
	return err == nil || errors.As(err, &refused)
}

// PID is the agent's process by its own file, or 0.
func PID(layout paths.Layout) int {
	content, err := os.ReadFile(layout.PIDFile())
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil || pid <= 1 {
		return 0
	}
	return pid
}
