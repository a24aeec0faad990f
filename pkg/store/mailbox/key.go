package mailbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"filippo.io/age"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// ErrNoKey is returned if a machine has no key yet.
var ErrNoKey = errors.New("this machine has no key yet")

// ReadKey reads a key from a file. It fails with ErrNoKey if the file is missing. Whoever has the key can read every letter.
func ReadKey(file string) (*age.X25519Identity, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", file, ErrNoKey)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	keys, err := age.ParseIdentities(bytes.NewReader(bytes.ReplaceAll(text, []byte("\r"), nil)))
	if err == nil {
		if key, is := keys[0].(*age.X25519Identity); is {
			return key, nil
		}
	}
	// err is left out, because it may quote a part of the key.
	return nil, fmt.Errorf("%s has no age key (AGE-SECRET-KEY-1...): %w", file, memory.ErrInvalid)
}

// WriteKey writes a key to a file that only the user may read.
func WriteKey(file string, key *age.X25519Identity) error {
	text := "# The key of your memory on several machines. Whoever has it can read the whole memory.\n" + key.String() + "\n"
	if err := atomicfile.Write(file, 0o600, []byte(text)); err != nil {
		return fmt.Errorf("write the key of memory sync: %w", err)
	}
	return nil
}
