package agentclient

import (
	"context"
	"fmt"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// End kills the agent's process.
func End(_ context.Context, _ paths.Layout, pid int) error {
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		return fmt.Errorf("end the agent, process %d: %w", pid, err)
	}
	return nil
}
