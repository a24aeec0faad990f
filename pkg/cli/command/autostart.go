package command

import (
	"os"
	"runtime"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/autostart"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// Autostart is the agent of this home as a service of the system.
func (e *Env) Autostart() autostart.Service {
	home := e.Getenv("HOME")
	if home == "" {
		home = e.Getenv("USERPROFILE")
	}
	program := paths.Program(e.Executable, "memoryd")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	return autostart.Service{
		Name: "surrealdb-memory", Description: "The agent of surrealdb-memory", Program: program,
		Env: map[string]string{
			"MEMORY_HOME": e.Paths.Home, "PATH": e.Getenv("PATH"), "MEMORY_AGENT_IDLE_EXIT": "0", "MEMORY_AGENT_ENDED_EXIT": "0",
		},
		System: runtime.GOOS, Home: home, UID: os.Getuid(),
	}
}
