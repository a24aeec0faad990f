package engine

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

const (
	recordFile  = "engine.json"
	engineUser  = "memory"
	secretBytes = 32
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

func readRecord(path string) (found record, err error) {
	if err = atomicfile.ReadJSON(path, &found); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return found, err
}

func writeRecord(path string, what record) error {
	if err := atomicfile.WriteJSON(path, what); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// newSecret returns a password for an engine, which its supervisor keeps until it ends: so a signed-in program stays signed
// in when the engine is restarted.
func newSecret() string {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never fails since Go 1.24
	return hex.EncodeToString(secret)
}
