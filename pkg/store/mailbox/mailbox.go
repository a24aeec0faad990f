// Package mailbox exchanges encrypted letters between the machines of one person, as files
// in a branch of a git repository. Letters are only added, each under the hash of its
// content, so that two machines never write different letters of one name. It keeps a bare
// copy of the branch and no work tree: nothing in the repository is checked out or run. It
// does not know what is in a letter.
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
	"regexp"
	"slices"

	"filippo.io/age"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// branch is the branch of the letters. It has a name of its own, so that the repository may
// hold anything beside.
const branch = "refs/heads/surrealdb-memory"

// MostBytes is the most bytes of a letter, before it is packed and encrypted, and after. A letter is read as a whole, and
// whoever may write to the repository can put one there.
const MostBytes = 32 << 20

// Box is the mailbox of a person on one machine. Its methods are not safe for concurrent
// use.
type Box struct {
	Key     *age.X25519Identity // that letters are encrypted to; set before Read and Send
	ref     *ref
	letters []string // of the last Fetch
}

// Open opens the mailbox in a directory of the user's own, and makes it where there is none.
// The address is that of the git repository; empty: the one of last time.
func Open(ctx context.Context, dir, address string) (*Box, error) {
	ref, err := openRef(ctx, dir, address, branch)
	if errors.Is(err, memory.ErrInvalid) {
		return nil, fmt.Errorf("no repository is known yet: name one of your own, once, with --git URL: %w", memory.ErrInvalid)
	}
	return &Box{ref: ref}, err
}

// IsEmpty says that nobody has sent a letter until the last Fetch.
func (b *Box) IsEmpty() bool { return len(b.letters) == 0 }

// Fetch brings the branch here. It returns the names of the letters, in order.
func (b *Box) Fetch(ctx context.Context) ([]string, error) {
	names, err := b.ref.Fetch(ctx)
	b.letters = slices.DeleteFunc(names, func(name string) bool { return !letterName.MatchString(name) })
	return b.letters, err
}

// letterName is the name of a letter: others in the branch are left alone.
var letterName = regexp.MustCompile(`^[0-9a-f]{24}\.age$`)

// Read decrypts a letter of the last Fetch. One for another key, and one that is too large, is memory.ErrInvalid.
func (b *Box) Read(ctx context.Context, name string) ([]byte, error) {
	sealed, err := b.ref.Read(ctx, name, MostBytes)
	if err != nil {
		return nil, fmt.Errorf("read a letter: %w", err)
	}
	open, err := age.Decrypt(bytes.NewReader(sealed), b.Key)
	if err != nil {
		return nil, fmt.Errorf("read the letter %s: it is not for the key of this machine; --key FILE takes over that of another machine: %w: %w", name, err, memory.ErrInvalid)
	}
	unpacked, err := gzip.NewReader(open)
	if err != nil {
		return nil, fmt.Errorf("read the letter %s: %w: %w", name, err, memory.ErrInvalid)
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, MostBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the letter %s: %w: %w", name, err, memory.ErrInvalid)
	case len(text) > MostBytes:
		return nil, fmt.Errorf("read the letter %s: it has more than %d bytes: %w", name, MostBytes, memory.ErrInvalid)
	}
	return text, nil
}

// Send encrypts a letter and adds it to the letters of the last Fetch. If another machine has
// added one since, nothing is sent, and the error is ErrRaced.
func (b *Box) Send(ctx context.Context, text []byte) (name string, err error) {
	if len(text) > MostBytes {
		return "", fmt.Errorf("send a letter: it has %d bytes, the most are %d: %w", len(text), MostBytes, memory.ErrInvalid)
	}
	sealed, err := b.seal(text)
	if err != nil {
		return "", fmt.Errorf("encrypt the letter: %w", err)
	}
	sum := sha256.Sum256(sealed)
	name = hex.EncodeToString(sum[:12]) + ".age"
	if err := b.ref.Add(ctx, name, sealed); err != nil {
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
