package mailbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

// ErrRaced is returned if another machine has changed the branch since the last Fetch.
var ErrRaced = errors.New("another machine pushed at the same time: run memory sync again")

// branch is the branch of the letters. Its name is unusual, so that the repository may have other content.
const branch = "refs/heads/surrealdb-memory"

// fetched is the ref of the last Fetch in the bare repository.
const fetched = "refs/memory/fetched"

// Box is the mailbox of a person on one machine: files in a branch of a git repository. It fetches the branch into a bare repository of its
// own, lists and reads the files, and pushes new files. It checks out and runs nothing of the repository, and reads none of its settings.
// Its methods are not safe for concurrent use.
type Box struct {
	Key *age.X25519Identity // key to which letters are encrypted; set before Read and Send

	repository string          // path of the bare repository
	base       string          // commit of the last Fetch; empty if the branch does not exist
	files      map[string]blob // files, and directories, of the next commit by name
	letters    []string        // names of the letters of the last Fetch
	hasMoved   bool            // another address than before was given
	isAnew     bool            // the next commit has no parent
}

// letterName matches the name of a letter. Other files in the branch are ignored.
var letterName = regexp.MustCompile(`^[0-9a-f]{24}\.age$`)

// blob is a file as git lists it: mode, type and ID of its content, and its size.
type blob struct {
	about string
	id    string
	bytes int64
}

// Limits of a ref that others may write to, and of git's time for a remote and a local operation.
const (
	mostEntries = 50_000
	mostOutput  = 16 << 20 // most bytes of git's answer to a question about the ref
	farTime     = 5 * time.Minute
	nearTime    = time.Minute
)

// Open opens the mailbox in a directory, and creates it if it is missing. address is the git repository's; if
// it is empty, the last one is used. It fails with memory.ErrInvalid if no address is known.
func Open(ctx context.Context, dir, address string) (*Box, error) {
	b := &Box{repository: filepath.Join(dir, "repository")}
	if _, err := os.Stat(filepath.Join(b.repository, "HEAD")); err != nil {
		if address == "" {
			return nil, fmt.Errorf("no repository is set: memory sync --git URL sets your own: %w", memory.ErrInvalid)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("create the repository's copy: %w", err)
		}
		if _, err := b.git(ctx, nil, "init", "--quiet", "--bare"); err != nil {
			return nil, fmt.Errorf("create the repository's copy: %w", err)
		}
	}
	if err := b.unlock(); err != nil {
		return nil, fmt.Errorf("remove old locks in %s: %w", b.repository, err)
	}
	if address == "" {
		return b, nil
	}
	before, _ := b.git(ctx, nil, "config", "--get", "remote.origin.url")
	b.hasMoved = before != "" && before != address
	_, err := b.git(ctx, nil, "config", "remote.origin.url", address)
	return b, err
}

// lockAge is the age from which a lock of git's counts as left by a killed process: a running git holds a lock for milliseconds.
const lockAge = time.Minute

// unlock deletes the locks that a killed git has left in the bare repository, because git would refuse to work forever.
func (b *Box) unlock() error {
	return filepath.WalkDir(b.repository, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // git has just deleted the file
		}
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".lock" {
			return err
		}
		if info, err := entry.Info(); err != nil || time.Since(info.ModTime()).Abs() < lockAge {
			return nil // the lock is in use, or was just deleted
		}
		return os.Remove(path)
	})
}

// Fetch fetches the branch and returns the names of its letters, in order.
func (b *Box) Fetch(ctx context.Context) ([]string, error) {
	var err error
	b.files, b.letters, b.isAnew = map[string]blob{}, nil, false
	if b.base, err = b.tip(ctx); err != nil || b.base == "" {
		return nil, err
	}
	if _, err := b.git(ctx, nil, "fetch", "--quiet", "--no-tags", "origin", "+"+branch+":"+fetched); err != nil {
		return nil, fmt.Errorf("fetch %s: %w", branch, err)
	}
	if b.base, err = b.git(ctx, nil, "rev-parse", fetched); err != nil { // the ref may have moved since b.tip
		return nil, err
	}
	list, err := b.git(ctx, nil, "ls-tree", "-z", "-l", b.base)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", branch, err)
	}
	if n := strings.Count(list, "\x00"); n > mostEntries {
		return nil, fmt.Errorf("%s has %d files, at most %d are allowed: remove some from the repository: %w", branch, n,
			mostEntries, memory.ErrInvalid)
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about)
		if len(fields) != 4 {
			continue // the ref has no file
		}
		size, err := strconv.ParseInt(fields[3], 10, 64)
		if err == nil && letterName.MatchString(name) { // a directory has no size
			b.letters = append(b.letters, name)
		}
		b.files[name] = blob{strings.Join(fields[:3], " "), fields[2], size}
	}
	slices.Sort(b.letters)
	return b.letters, nil
}

// drop leaves the letters out of the next commit. That commit gets no parent, so that the files are not in the history either.
func (b *Box) drop() {
	maps.DeleteFunc(b.files, func(name string, _ blob) bool { return letterName.MatchString(name) })
	b.isAnew = true
}

// add commits a file without an author and pushes the commit, or fails with ErrRaced if the ref was changed since the last Fetch.
func (b *Box) add(ctx context.Context, name string, content []byte) error {
	root, err := b.tree(ctx, name, content)
	if err != nil {
		return err
	}
	arguments := []string{"commit-tree", root, "-m", "letter"}
	if b.base != "" && !b.isAnew {
		arguments = append(arguments, "-p", b.base)
	}
	commit, err := b.git(ctx, nil, arguments...)
	if err != nil {
		return fmt.Errorf("commit to %s: %w", branch, err)
	}
	_, err = b.git(ctx, nil, "push", "--quiet", "--force-with-lease="+branch+":"+b.base, "origin", commit+":"+branch)
	if err == nil {
		return nil
	}
	if now, askErr := b.tip(ctx); askErr == nil && now != b.base {
		return ErrRaced
	}
	if strings.Contains(err.Error(), ".lock': File exists") {
		return fmt.Errorf("push %s: a killed git may have left a lock in the repository: if no git runs there, delete the lock and try again: %w", branch, err)
	}
	return fmt.Errorf("push %s: %w", branch, err)
}

// tree writes git's tree of the files of the last Fetch and one more.
func (b *Box) tree(ctx context.Context, name string, content []byte) (id string, err error) {
	blob, err := b.git(ctx, content, "hash-object", "-w", "--stdin")
	if err != nil {
		return "", fmt.Errorf("store %s: %w", name, err)
	}
	var tree bytes.Buffer
	for known, file := range b.files {
		if known != name {
			tree.WriteString(file.about + "\t" + known + "\x00")
		}
	}
	tree.WriteString("100644 blob " + blob + "\t" + name + "\x00")
	if id, err = b.git(ctx, tree.Bytes(), "mktree", "-z"); err != nil {
		err = fmt.Errorf("write the tree of %s: %w", branch, err)
	}
	return id, err
}

// tip returns the ref's present commit in the remote repository, or "" if the ref does not exist.
func (b *Box) tip(ctx context.Context) (string, error) {
	found, err := b.git(ctx, nil, "ls-remote", "origin", branch)
	if err != nil {
		return "", fmt.Errorf("cannot reach the repository: %w", err)
	}
	commit, _, _ := strings.Cut(found, "\t")
	return commit, nil
}

// git runs git in the bare repository, and returns its output without the final newline.
func (b *Box) git(ctx context.Context, input []byte, arguments ...string) (string, error) {
	limit := nearTime
	if slices.Contains([]string{"fetch", "push", "ls-remote"}, arguments[0]) {
		limit = farTime
	}
	out, err := b.output(ctx, limit, mostOutput, input, arguments...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// output runs git for at most limit, without hooks and without the user's name. It fails if git prints more than most bytes.
func (b *Box) output(ctx context.Context, limit time.Duration, most int, input []byte, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"--git-dir", b.repository, "-c",
		"core.hooksPath=/dev/null", "-c", "commit.gpgSign=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", // a gc in the background makes ours fail
	}, arguments...)...)
	cmd.Env = append(project.GitEnvironment(),
		"GIT_AUTHOR_NAME=surrealdb-memory", "GIT_AUTHOR_EMAIL=", "GIT_COMMITTER_NAME=surrealdb-memory", "GIT_COMMITTER_EMAIL=")
	cmd.Stdin, cmd.WaitDelay = bytes.NewReader(input), time.Second
	out, problem := process.Head{Most: most, Full: cancel}, process.Head{Most: 1 << 10}
	cmd.Stdout, cmd.Stderr = &out, &problem
	err := cmd.Run()
	switch {
	case out.IsFull:
		return nil, fmt.Errorf("git %s: its output has more than %d bytes: %w", arguments[0], most, memory.ErrInvalid)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: it took more than %s: %w", arguments[0], limit, context.Cause(ctx))
	case err != nil && problem.Text.Len() > 0: // git's words say more than its exit code
		return nil, fmt.Errorf("git %s: %s", arguments[0], memory.Cut(strings.TrimSuffix(memory.OneLine(strings.ReplaceAll(strings.TrimSpace(problem.Text.String()), "\n", "; ")), "."), 300))
	case err != nil:
		return nil, fmt.Errorf("git %s: %w", arguments[0], err)
	}
	return out.Text.Bytes(), nil
}
