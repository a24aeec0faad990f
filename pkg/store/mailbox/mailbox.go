// Package mailbox exchanges encrypted letters between the machines of one person, as files in a branch of a git repository. Letters are added, and
// never changed; a purge withdraws all of them together. A letter is named by the hash of its content, so two machines never write different letters
// of the same name. The package keeps a bare copy of the branch: it checks out and runs nothing of the repository. It does not interpret letters.
package mailbox

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"filippo.io/age"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// MostBytes is the maximum number of bytes of a letter, both before and after it is packed and encrypted. A letter is read as a
// whole, and anybody who may write to the repository can add a letter.
const MostBytes = 32 << 20

var errTooLarge = fmt.Errorf("it has more than %d MB, so no machine of yours wrote it; delete it from the repository: %w", MostBytes>>20, memory.ErrInvalid)

// Read decrypts a letter of the last Fetch. It fails with memory.ErrInvalid if the letter is encrypted to another key or too large.
func (b *Box) Read(ctx context.Context, name string) ([]byte, error) {
	file := b.files[name]
	if file.bytes > MostBytes {
		return nil, errTooLarge
	}
	sealed, err := b.output(ctx, nearTime, MostBytes, nil, "cat-file", "blob", file.id)
	if err != nil {
		return nil, err
	}
	open, err := age.Decrypt(bytes.NewReader(sealed), b.Key)
	if err != nil {
		return nil, fmt.Errorf("it was encrypted with another key: memory sync --key FILE, with the key file of the machine that wrote it, takes that key over: %w: %w", err, memory.ErrInvalid)
	}
	unpacked, err := gzip.NewReader(open)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, memory.ErrInvalid)
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, MostBytes+1))
	if err == nil && len(text) > MostBytes {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, memory.ErrInvalid)
	}
	return text, nil
}

// Send encrypts a letter and adds it to the branch. It fails with ErrRaced if the branch was changed since the last Fetch.
func (b *Box) Send(ctx context.Context, text []byte) (name string, err error) {
	if len(text) > MostBytes {
		return "", fmt.Errorf("a letter has %d bytes, at most %d are allowed: %w", len(text), MostBytes, memory.ErrInvalid)
	}
	sealed, err := b.seal(text)
	if err != nil {
		return "", fmt.Errorf("encrypt the letter: %w", err)
	}
	sum := sha256.Sum256(sealed)
	name = hex.EncodeToString(sum[:12]) + ".age"
	if err := b.add(ctx, name, sealed); err != nil {
		return "", fmt.Errorf("send the letter: %w", err)
	}
	return name, nil
}

func (b *Box) seal(text []byte) ([]byte, error) {
	var sealed bytes.Buffer
	closed, err := age.Encrypt(&sealed, b.Key.Recipient())
	if err != nil {
		return nil, err
	}
	packed := gzip.NewWriter(closed)
	_, err = packed.Write(text)
	if err = errors.Join(err, packed.Close(), closed.Close()); err != nil {
		return nil, err
	}
	return sealed.Bytes(), nil
}

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
	return nil, fmt.Errorf("%s has no key (AGE-SECRET-KEY-1...) such as the file sync/key.txt of your other machines has: %w", file, memory.ErrInvalid)
}

// WriteKey writes a key to a file that only the user may read.
func WriteKey(file string, key *age.X25519Identity) error {
	text := "# The key of your memory on several machines. Whoever has it can read the whole memory.\n" + key.String() + "\n"
	if err := atomicfile.Write(file, 0o600, []byte(text)); err != nil {
		return fmt.Errorf("write the key of memory sync: %w", err)
	}
	return nil
}
