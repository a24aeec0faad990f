package surreal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lxzan/gws"
	"github.com/surrealdb/surrealdb.go/pkg/connection"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The messages are those of SurrealDB 3.0.2 and 3.3.5.
func TestAFaultOfTheStorageIsNotTheEventsFault(t *testing.T) {
	const full = "There was a problem with a transaction: IO error: No space left on device: While appending to file: /home/data/000004.log: No space left on device"
	tests := []struct {
		message string
		want    error // of the domain; nil: the statement's own
	}{
		{full, memory.ErrStorage},
		{"Query not executed: " + full, memory.ErrStorage},
		{"Cannot COMMIT: " + full, memory.ErrStorage},
		{"There was a problem with the key-value store: There was a problem with a transaction: IO error: Input/output error: While fsync", memory.ErrStorage},
		{"There was a problem with a transaction: Corruption: Blob CRC mismatch", memory.ErrDamaged},
		{"There was a problem with the key-value store: There was a problem with a transaction: Corruption: block checksum mismatch", memory.ErrDamaged},
		{"There was a problem with a transaction: IO error: No such file or directory: while stat a file for size: /home/data/000012.blob: No such file or directory", memory.ErrDamaged},
		{"Failed to deserialize record", memory.ErrDamaged},
		{"A deserialization error occurred: Invalid revision `2` for type `Record`", memory.ErrDamaged},
		{"The table 'project' does not exist", memory.ErrStorage},
		{"The database 'main' does not exist", memory.ErrStorage},
		{"An error occurred: The table 'project' does not exist", nil},
		{"Couldn't coerce value for field `content`: Expected `int` but found 'There was a problem with a transaction: Corruption: IO error: Failed to deserialize record'", nil},
		{"An error occurred: There was a problem with a transaction: IO error: No space left on device", nil},
		{"Parse error: Unexpected token", nil},
	}
	for _, test := range tests {
		fake := startFake(t, script(func(*gws.Conn, string) ([]any, *connection.RPCError, bool) {
			return []any{bad(test.message)}, nil, false
		}))
		c := openAt(t, func() Endpoint { return Endpoint{URL: fake.url()} }, 10*time.Second)
		_, err := c.exec(t.Context(), "UPDATE a", nil)
		err = domain(err)
		var failed *StatementError
		switch {
		case !errors.As(err, &failed):
			t.Errorf("%s: %v, and the engine's words are lost", test.message, err)
		case test.want == nil && errors.Is(err, memory.ErrUnavailable):
			t.Errorf("%s: %v, want it to be the statement's fault", test.message, err)
		case test.want != nil && (!errors.Is(err, test.want) || !errors.Is(err, memory.ErrUnavailable)):
			t.Errorf("%s: %v, want %v", test.message, err, test.want)
		}
	}
}

// A disk of 12 MB is full: what cannot be written is refused as the storage's fault, and after a restart, with room
// again, the same engine writes.
func TestEngineOnAFullDisk(t *testing.T) {
	disk := enginetest.SmallDisk(t, 12)
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 6<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	supervisor, opts := ownEngineIn(t, disk)
	c := openReal(t, opts)
	var err error
	for i := 0; i < 1000 && err == nil; i++ {
		_, err = c.exec(t.Context(), "CREATE t SET text = $text", map[string]any{"text": strings.Repeat("x", 40_000)})
	}
	if err = domain(err); !errors.Is(err, memory.ErrStorage) {
		t.Fatalf("on a full disk: %v, want %v", err, memory.ErrStorage)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	supervisor.Restart("the disk was full")
	if _, err = c.execIdempotent(t.Context(), "UPSERT t:1 SET text = 'x'", nil); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
