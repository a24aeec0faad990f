package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

// Process is a running program of the memory that belongs to one home.
type Process struct {
	PID     int    `json:"pid"`
	Program string `json:"program"` // memoryd, memory-mcp or engine
}

// Processes returns the running programs of this user that belong to the home, except this one; none where the system
// hides the environment of processes.
func Processes(layout paths.Layout) ([]Process, error) {
	all, err := process.All()
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("list the processes of %s: %w", layout.Home, err)
	}
	var ours []Process
	for _, p := range all {
		if program := programOf(p, layout); program != "" && p.PID != os.Getpid() {
			ours = append(ours, Process{p.PID, program})
		}
	}
	return ours, nil
}

// engineRecord returns the path of the file in which a home's engine is recorded.
func engineRecord(layout paths.Layout) string { return filepath.Join(layout.Run(), "engine.json") }

// programOf returns the name of the program if the process belongs to the home, otherwise "".
func programOf(p process.Process, layout paths.Layout) string {
	if len(p.Args) == 0 {
		return ""
	}
	name := filepath.Base(p.Args[0])
	if name == "memory" && len(p.Args) > 1 { // a released plugin has one program file for all programs
		name = p.Args[1]
	}
	switch name {
	case "memoryd", "memory-mcp":
		if paths.FromEnv(func(key string) string { return p.Env[key] }).Home == layout.Home {
			return name
		}
	default:
		if isEngine(p.Args, layout) {
			return "engine"
		}
	}
	return ""
}

// isEngine reports whether the arguments are those of the home's embedded engine, which name its password file.
func isEngine(args []string, layout paths.Layout) bool {
	for i, arg := range args[:len(args)-1] {
		if arg == "--secret-file" && args[i+1] == engineRecord(layout) {
			return true
		}
	}
	return false
}
