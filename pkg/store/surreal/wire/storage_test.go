package wire

import (
	"errors"
	"testing"
	"time"

	"github.com/lxzan/gws"
	"github.com/surrealdb/surrealdb.go/pkg/connection"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// The messages are those of SurrealDB 3.0.2 and 3.3.5.
func TestAFaultOfTheStorageIsNotTheEventsFault(t *testing.T) {
	const full = "There was a problem with a transaction: IO error: No space left on device: While appending to file: /home/data/000004.log: No space left on device"
	tests := []struct {
		message string
		want    error // nil: an error of the statement
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
		{"The namespace 'größe_a-2' does not exist", memory.ErrStorage},
		{"An error occurred: The table 'project' does not exist", nil},
		{"Couldn't coerce value for field `content`: Expected `int` but found 'There was a problem with a transaction: Corruption: IO error: Failed to deserialize record'", nil},
		{"An error occurred: There was a problem with a transaction: IO error: No space left on device", nil},
		{"Parse error: Unexpected token", nil},
	}
	for _, test := range tests {
		fake := startFake(t, script(func(*gws.Conn, string) ([]any, *connection.RPCError, bool) {
			return []any{bad(test.message)}, nil, false
		}))
		c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url()} }, 10*time.Second)
		_, err := c.Run(t.Context(), Request{SQL: "UPDATE a"})
		var failed *StatementError
		switch {
		case !errors.As(err, &failed):
			t.Errorf("%s: %v, and the engine's words are lost", test.message, err)
		case test.want == nil && (errors.Is(err, memory.ErrStorage) || errors.Is(err, memory.ErrDamaged)):
			t.Errorf("%s: %v, want it to be the statement's fault", test.message, err)
		case test.want != nil && !errors.Is(err, test.want):
			t.Errorf("%s: %v, want %v", test.message, err, test.want)
		}
	}
}
