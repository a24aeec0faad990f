//go:build !linux

package processes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// running lists the agent and the engine that have said where they are, if they
// still run.
func running(layout paths.Layout) ([]process, error) {
	var found []process
	if text, err := os.ReadFile(layout.PIDFile()); err == nil {
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && isAlive(pid) {
			found = append(found, process{pid: pid, args: []string{"memoryd"}, env: map[string]string{"MEMORY_HOME": layout.Home}})
		}
	}
	file := filepath.Join(layout.Run(), "engine.json")
	var engine struct{ PID, Owner int }
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &engine) == nil && engine.PID > 0 && isAlive(engine.PID) {
		found = append(found, process{pid: engine.PID, parent: engine.Owner, args: []string{"engine", "--secret-file", file}})
	}
	return found, nil
}

// isAlive asks the system; on Windows it cannot, and says no.
func isAlive(pid int) bool {
	target, err := os.FindProcess(pid)
	return err == nil && target.Signal(syscall.Signal(0)) == nil
}
