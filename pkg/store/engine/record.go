package engine

import (
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

const (
	recordFile = "engine.json"
	engineUser = "memory"
)

// record is the content of engine.json: the address, the credentials, and the process that must be ended if its
// supervisor was killed.
type record struct {
	URL   string `json:"url,omitempty"`
	User  string `json:"user"`
	Pass  string `json:"pass"`
	PID   int    `json:"pid,omitempty"`
	Owner int    `json:"owner,omitempty"` // process ID of the supervisor
	Data  string `json:"data,omitempty"`
}

func writeRecord(path string, what record) error {
	if err := atomicfile.WriteJSON(path, what); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
