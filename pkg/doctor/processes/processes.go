// Package processes finds the running programs of a home, and ends them.
package processes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// Process is a running program of the memory that belongs to one home.
type Process struct {
	PID     int    `json:"pid"`
	Parent  int    `json:"parent"`
	Program string `json:"program"` // memoryd, memory-mcp or engine
}

// List names the running programs of this user's that belong to the home,
// this one aside. Where the system does not tell the environment of processes it
// knows only the agent and the engine, by the files they leave.
func List(layout paths.Layout) ([]Process, error) {
	all, err := running(layout)
	if err != nil {
		return nil, fmt.Errorf("list the processes of %s: %w", layout.Home, err)
	}
	var ours []Process
	for _, p := range all {
		if program := programOf(p, layout); program != "" && p.pid != os.Getpid() {
			ours = append(ours, Process{p.pid, p.parent, program})
		}
	}
	return ours, nil
}

// programOf names the program if it is one of the home's, else "".
func programOf(p process, layout paths.Layout) string {
	if len(p.args) == 0 {
		return ""
	}
	name := filepath.Base(p.args[0])
	if name == "memory" && len(p.args) > 1 { // a released plugin has one program for both
		name = p.args[1]
	}
	switch name {
	case "memoryd", "memory-mcp":
		if paths.FromEnv(func(key string) string { return p.env[key] }).Home == layout.Home {
			return name
		}
	default:
		if isEngine(p.args, layout) {
			return "engine"
		}
	}
	return ""
}

// isEngine knows the embedded engine by the file that it is told its password in,
// and a surreal binary by its data.
func isEngine(args []string, layout paths.Layout) bool {
	record := filepath.Join(layout.Run(), "engine.json")
	for i, arg := range args[:len(args)-1] {
		if arg == "--secret-file" && args[i+1] == record {
			return true
		}
	}
	return strings.HasPrefix(filepath.Base(args[0]), "surreal") && strings.HasSuffix(args[len(args)-1], "://"+layout.Data())
}

const (
	endTime   = 5 * time.Second // from the request to end to the kill
	pollPause = 10 * time.Millisecond
)

// End asks a process to end, and kills it if it does not. One that has ended is
// no error.
func End(ctx context.Context, p Process) error {
	target, err := os.FindProcess(p.PID)
	if err != nil {
		return nil //nolint:nilerr // there is no such process any more
	}
	if err := target.Signal(syscall.SIGTERM); err != nil {
		if isAlive(p.PID) {
			return fmt.Errorf("end the process %d (%s): %w", p.PID, p.Program, err)
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	for isAlive(p.PID) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			if err := target.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return fmt.Errorf("kill the process %d (%s): %w", p.PID, p.Program, err)
			}
			return nil
		}
	}
	return nil
}
