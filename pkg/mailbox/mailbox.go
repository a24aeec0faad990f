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
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"filippo.io/age"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// branch is the branch of the letters. It has a name of its own, so that the repository may
// hold anything beside.
const branch = "refs/heads/surrealdb-memory"

// maxLetterBytes bounds a letter that is read, decrypted.
const maxLetterBytes = 1 << 30

// ErrRaced says that another machine has added a letter since the last Fetch.
var ErrRaced = errors.New("another machine was faster")

// Box is the mailbox of a person on one machine. Its methods are not safe for concurrent
// use.
type Box struct {
	repository string // bare
	key        Key

	base    string            // the commit of the last Fetch; empty: there is no branch yet
	letters map[string]string // names of letters to git's ids of their content
}

// Open opens the mailbox in a directory of the user's own, and makes it where there is none.
// The address is that of the git repository; empty: the one of last time.
func Open(ctx context.Context, dir, address string) (*Box, error) {
	b := &Box{repository: filepath.Join(dir, "repository")}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the mailbox: %w", err)
	}
	if _, err := os.Stat(filepath.Join(b.repository, "HEAD")); err != nil {
		if address == "" {
			return nil, fmt.Errorf("no repository is known yet: name one of your own, once, with --git URL: %w", memory.ErrInvalid)
		}
		if out, err := exec.CommandContext(ctx, "git", "init", "--quiet", "--bare", b.repository).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("make the mailbox: git init: %w: %s", err, bytes.TrimSpace(out))
		}
	}
	if address == "" {
		return b, nil
	}
	_, err := b.git(ctx, nil, "config", "remote.origin.url", address)
	return b, err
}

// Use gives the mailbox the key that letters are encrypted to.
func (b *Box) Use(key Key) { b.key = key }

// IsEmpty says that nobody has sent a letter until the last Fetch.
func (b *Box) IsEmpty() bool { return len(b.letters) == 0 }

// Fetch brings the branch here. It returns the names of the letters, in order.
func (b *Box) Fetch(ctx context.Context) ([]string, error) {
	var err error
	b.letters = map[string]string{}
	if b.base, err = b.tip(ctx); err != nil || b.base == "" {
		return nil, err
	}
	if _, err := b.git(ctx, nil, "fetch", "--quiet", "--no-tags", "origin", "+"+branch+":refs/letters/fetched"); err != nil {
		return nil, fmt.Errorf("fetch the letters: %w", err)
	}
	if b.base, err = b.git(ctx, nil, "rev-parse", "refs/letters/fetched"); err != nil { // it may have moved since
		return nil, err
	}
	tree, err := b.git(ctx, nil, "ls-tree", "-z", b.base)
	if err != nil {
		return nil, fmt.Errorf("list the letters: %w", err)
	}
	var names []string
	for entry := range strings.SplitSeq(tree, "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(about); len(fields) == 3 && fields[1] == "blob" && letterName.MatchString(name) {
			b.letters[name] = fields[2]
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// letterName is the name of a letter: others in the branch are left alone.
var letterName = regexp.MustCompile(`^[0-9a-f]{24}\.age$`)

// Read decrypts a letter of the last Fetch. One for another key is memory.ErrInvalid.
func (b *Box) Read(ctx context.Context, name string) ([]byte, error) {
	sealed, err := b.output(ctx, nil, "cat-file", "blob", b.letters[name])
	if err != nil {
		return nil, fmt.Errorf("read the letter %s: %w", name, err)
	}
	key, err := b.key.identity()
	if err != nil {
		return nil, err
	}
	open, err := age.Decrypt(bytes.NewReader(sealed), key)
	if err != nil {
		return nil, fmt.Errorf("read the letter %s: it is not for the key of this machine; --key FILE takes over that of another machine: %w: %w", name, err, memory.ErrInvalid)
	}
	unpacked, err := gzip.NewReader(open)
	if err != nil {
		return nil, fmt.Errorf("read the letter %s: %w: %w", name, err, memory.ErrInvalid)
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, maxLetterBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the letter %s: %w: %w", name, err, memory.ErrInvalid)
	case len(text) > maxLetterBytes:
		return nil, fmt.Errorf("read the letter %s: it has more than %d bytes: %w", name, maxLetterBytes, memory.ErrInvalid)
	}
	return text, nil
}

// Send encrypts a letter and adds it to the letters of the last Fetch. If another machine has
// added one since, nothing is sent, and the error is ErrRaced.
func (b *Box) Send(ctx context.Context, text []byte) (name string, err error) {
	sealed, err := b.seal(text)
	if err != nil {
		return "", fmt.Errorf("encrypt the letter: %w", err)
	}
	sum := sha256.Sum256(sealed)
	name = hex.EncodeToString(sum[:12]) + ".age"
	blob, err := b.git(ctx, sealed, "hash-object", "-w", "--stdin")
	if err != nil {
		return "", fmt.Errorf("keep the letter: %w", err)
	}
	var tree bytes.Buffer
	if b.base != "" {
		there, err := b.output(ctx, nil, "ls-tree", "-z", b.base)
		if err != nil {
			return "", fmt.Errorf("list the letters: %w", err)
		}
		tree.Write(there)
	}
	tree.WriteString("100644 blob " + blob + "\t" + name + "\x00")
	root, err := b.git(ctx, tree.Bytes(), "mktree", "-z")
	if err != nil {
		return "", fmt.Errorf("add the letter: %w", err)
	}
	arguments := []string{"commit-tree", root, "-m", "letter"}
	if b.base != "" {
		arguments = append(arguments, "-p", b.base)
	}
	commit, err := b.git(ctx, nil, arguments...)
	if err != nil {
		return "", fmt.Errorf("add the letter: %w", err)
	}
	_, err = b.git(ctx, nil, "push", "--quiet", "--force-with-lease="+branch+":"+b.base, "origin", commit+":"+branch)
	if err == nil {
		return name, nil
	}
	if now, askErr := b.tip(ctx); askErr == nil && now != b.base {
		return "", ErrRaced
	}
	return "", fmt.Errorf("send the letter: %w", err)
}

// tip is the commit of the branch in the repository now; empty if there is no branch.
func (b *Box) tip(ctx context.Context) (string, error) {
	found, err := b.git(ctx, nil, "ls-remote", "origin", branch)
	if err != nil {
		return "", fmt.Errorf("reach the repository: %w", err)
	}
	commit, _, _ := strings.Cut(found, "\t")
	return commit, nil
}

func (b *Box) seal(text []byte) ([]byte, error) {
	key, err := b.key.identity()
	if err != nil {
		return nil, err
	}
	var sealed bytes.Buffer
	closed, err := age.Encrypt(&sealed, key.Recipient())
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

// git runs git in the repository, and returns its output without the newline at its end.
func (b *Box) git(ctx context.Context, input []byte, arguments ...string) (string, error) {
	out, err := b.output(ctx, input, arguments...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// output runs git without hooks, and without the user's name: a letter has no author.
func (b *Box) output(ctx context.Context, input []byte, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir", b.repository, "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"}, arguments...)...)
	cmd.Env = append(os.Environ(),
		"GIT_AUTHOR_NAME=surrealdb-memory", "GIT_AUTHOR_EMAIL=", "GIT_COMMITTER_NAME=surrealdb-memory", "GIT_COMMITTER_EMAIL=")
	cmd.Stdin = bytes.NewReader(input)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", arguments[0], err, memory.Cut(memory.OneLine(problem.String()), 300))
	}
	return out, nil
}
