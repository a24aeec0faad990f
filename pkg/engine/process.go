package engine

import (
	"context"
	"os"
	"time"
)

// pollInterval is the pause between two looks at a process or server.
const pollInterval = 20 * time.Millisecond

// endProcess ends a process that is not our child: it asks, and kills it when ctx ends.
func endProcess(ctx context.Context, pid int) error {
	target, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	if err := askToEnd(target); err != nil {
		return ifRunning(ctx, pid, err)
	}
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if _, running := lookUp(context.WithoutCancel(ctx), pid); !running {
			return nil
		}
		select {
		case <-ctx.Done():
			return ifRunning(context.WithoutCancel(ctx), pid, target.Kill())
		case <-ticker.C:
		}
	}
}

// ifRunning drops the error of a signal that came after the process had ended.
func ifRunning(ctx context.Context, pid int, err error) error {
	if _, running := lookUp(ctx, pid); !running {
		return nil
	}
	return err
}
