package mailbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"filippo.io/age"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ErrNoKey says that a machine has no key yet.
var ErrNoKey = errors.New("this machine has no key yet")

// Key is a person's key, in the format of age. Who has it can read every letter.
type Key struct{ secret string }

// IsZero says that there is no key.
func (k Key) IsZero() bool { return k.secret == "" }

// ReadKey reads a key from a file; ErrNoKey if there is no file.
func ReadKey(file string) (Key, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Key{}, fmt.Errorf("%s: %w", file, ErrNoKey)
	}
	if err != nil {
		return Key{}, fmt.Errorf("read the key: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := age.ParseX25519Identity(line); err == nil {
			return Key{line}, nil
		}
		break
	}
	return Key{}, fmt.Errorf("%s holds no key of age (AGE-SECRET-KEY-1...): %w", file, memory.ErrInvalid)
}

// NewKey makes a key.
func NewKey() (Key, error) {
	made, err := age.GenerateX25519Identity()
	if err != nil {
		return Key{}, fmt.Errorf("make a key: %w", err)
	}
	return Key{made.String()}, nil
}

// Write writes the key to a file that only the user may read.
func (k Key) Write(file string) error {
	text := "# The key of your memory on several machines. Who has it can read all of it.\n" + k.secret + "\n"
	if err := atomicfile.Write(file, 0o600, []byte(text)); err != nil {
		return fmt.Errorf("keep the key: %w", err)
	}
	return nil
}

// identity is the key for encryption and decryption.
func (k Key) identity() (*age.X25519Identity, error) {
	identity, err := age.ParseX25519Identity(k.secret)
	if err != nil { // its text would be in the error
		return nil, fmt.Errorf("the mailbox has no usable key: %w", memory.ErrInvalid)
	}
	return identity, nil
}
