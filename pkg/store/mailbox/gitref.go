package mailbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

// ErrRaced says that another machine has added a letter since the last Fetch.
var ErrRaced = errors.New("another machine was faster")

// fetched is the ref of the last Fetch in the bare repository.
const fetched = "refs/memory/fetched"

// ref keeps files in a ref of a git repository, without a checkout: it fetches the ref into a bare
// repository of its own, lists and reads the files, and pushes new ones. Nothing in the
// repository is checked out or run, and none of its settings is read. Its methods are not safe for
// concurrent use.
type ref struct {
	repository string // bare
	name       string
	base       string          // the commit of the last Fetch; empty: there is none yet
	entries    string          // git's list of that commit
	files      map[string]blob // by their names
}

// blob is a file: git's id of its content, and its size.
type blob struct {
	id    string
	bytes int64
}

// The bounds of a ref that others may write to, and of the time that git may need: for a repository elsewhere, and here.
const (
	mostEntries = 50_000
	mostOutput  = 16 << 20 // bytes that git answers a question about the ref with
	farTime     = 5 * time.Minute
	nearTime    = time.Minute
)

// openRef opens the copy of a ref in a directory of the user's own, and makes it where there is
// none. The address is that of the git repository; empty: the one of last time.
func openRef(ctx context.Context, dir, address, name string) (*ref, error) {
	r := &ref{repository: filepath.Join(dir, "repository"), name: name}
	if _, err := os.Stat(filepath.Join(r.repository, "HEAD")); err != nil {
		if address == "" {
			return nil, fmt.Errorf("no repository is known yet: %w", memory.ErrInvalid)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a place for what git fetches: %w", err)
		}
		init := exec.CommandContext(ctx, "git", "init", "--quiet", "--bare", r.repository)
		init.Env = project.GitEnvironment()
		if out, err := init.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("make a place for what git fetches: git init: %w: %s", err, bytes.TrimSpace(out))
		}
	}
	if err := r.unlock(); err != nil {
		return nil, fmt.Errorf("make %s usable again: %w", r.repository, err)
	}
	if address == "" {
		return r, nil
	}
	_, err := r.git(ctx, nil, "config", "remote.origin.url", address)
	return r, err
}

// lockAge is the age at which a lock of git's is the leftover of one that was killed: a git that
// runs holds one for milliseconds.
const lockAge = time.Minute

// unlock removes the locks that a killed git has left in the bare repository: it would refuse to
// work for ever.
func (r *ref) unlock() error {
	return filepath.WalkDir(r.repository, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a file of git's that has just gone
		}
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".lock" {
			return err
		}
		if info, err := entry.Info(); err != nil || time.Since(info.ModTime()).Abs() < lockAge {
			return nil // in use, or gone
		}
		return os.Remove(path)
	})
}

// Fetch brings the ref here. It returns the names of its files, in order; directories are left
// alone.
func (r *ref) Fetch(ctx context.Context) ([]string, error) {
	var err error
	r.entries, r.files = "", map[string]blob{}
	if r.base, err = r.tip(ctx); err != nil || r.base == "" {
		return nil, err
	}
	if _, err := r.git(ctx, nil, "fetch", "--quiet", "--no-tags", "origin", "+"+r.name+":"+fetched); err != nil {
		return nil, fmt.Errorf("fetch %s: %w", r.name, err)
	}
	if r.base, err = r.git(ctx, nil, "rev-parse", fetched); err != nil { // it may have moved since
		return nil, err
	}
	list, err := r.git(ctx, nil, "ls-tree", "-z", "-l", r.base)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", r.name, err)
	}
	if n := strings.Count(list, "\x00"); n > mostEntries {
		return nil, fmt.Errorf("%s has %d files, the most are %d: remove some from the repository: %w", r.name, n,
			mostEntries, memory.ErrInvalid)
	}
	var names []string
	var entries strings.Builder
	for entry := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about)
		if len(fields) != 4 {
			continue // there is no file
		}
		_, _ = fmt.Fprintf(&entries, "%s %s %s\t%s\x00", fields[0], fields[1], fields[2], name)
		if size, err := strconv.ParseInt(fields[3], 10, 64); err == nil && fields[1] == "blob" {
			r.files[name] = blob{fields[2], size}
			names = append(names, name)
		}
	}
	r.entries = strings.TrimSuffix(entries.String(), "\x00")
	slices.Sort(names)
	return names, nil
}

// Read is the content of a file of the last Fetch. One with more bytes than the limit is memory.ErrInvalid, and not read.
func (r *ref) Read(ctx context.Context, name string, limit int) ([]byte, error) {
	f := r.files[name]
	if f.bytes > int64(limit) {
		return nil, fmt.Errorf("read %s: it has %d bytes, the most are %d: %w", name, f.bytes, limit, memory.ErrInvalid)
	}
	content, err := r.output(ctx, nearTime, int64(limit), nil, "cat-file", "blob", f.id)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return content, nil
}

// Add adds a file, and pushes that. If somebody else has changed the ref since the last Fetch,
// nothing is changed, and the error is ErrRaced. The commit names no author.
func (r *ref) Add(ctx context.Context, name string, content []byte) error {
	root, err := r.tree(ctx, name, content)
	if err != nil {
		return err
	}
	arguments := []string{"commit-tree", root, "-m", "letter"}
	if r.base != "" {
		arguments = append(arguments, "-p", r.base)
	}
	commit, err := r.git(ctx, nil, arguments...)
	if err != nil {
		return fmt.Errorf("commit to %s: %w", r.name, err)
	}
	_, err = r.git(ctx, nil, "push", "--quiet", "--force-with-lease="+r.name+":"+r.base, "origin", commit+":"+r.name)
	if err == nil {
		return nil
	}
	if now, askErr := r.tip(ctx); askErr == nil && now != r.base {
		return ErrRaced
	}
	if strings.Contains(err.Error(), ".lock': File exists") {
		return fmt.Errorf("a git that was killed may have left a lock in the repository; if none works there now, delete the file and try again: push %s: %w", r.name, err)
	}
	return fmt.Errorf("push %s: %w", r.name, err)
}

// tree makes git's tree of the files of the last Fetch and one more.
func (r *ref) tree(ctx context.Context, name string, content []byte) (id string, err error) {
	blob, err := r.git(ctx, content, "hash-object", "-w", "--stdin")
	if err != nil {
		return "", fmt.Errorf("keep %s: %w", name, err)
	}
	var tree bytes.Buffer
	for entry := range strings.SplitSeq(r.entries, "\x00") {
		if _, known, _ := strings.Cut(entry, "\t"); entry != "" && known != name {
			tree.WriteString(entry + "\x00")
		}
	}
	tree.WriteString("100644 blob " + blob + "\t" + name + "\x00")
	if id, err = r.git(ctx, tree.Bytes(), "mktree", "-z"); err != nil {
		err = fmt.Errorf("make the files of %s: %w", r.name, err)
	}
	return id, err
}

// tip is the commit of the ref in the repository now; empty if there is no such ref.
func (r *ref) tip(ctx context.Context) (string, error) {
	found, err := r.git(ctx, nil, "ls-remote", "origin", r.name)
	if err != nil {
		return "", fmt.Errorf("reach the repository: %w", err)
	}
	commit, _, _ := strings.Cut(found, "\t")
	return commit, nil
}

// git runs git in the repository, and returns its output without the newline at its end.
func (r *ref) git(ctx context.Context, input []byte, arguments ...string) (string, error) {
	limit := nearTime
	if slices.Contains([]string{"fetch", "push", "ls-remote"}, arguments[0]) {
		limit = farTime
	}
	out, err := r.output(ctx, limit, mostOutput, input, arguments...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// output runs git without hooks, and without the user's name, for a time at most. More output than the most is an error.
func (r *ref) output(ctx context.Context, limit time.Duration, most int64, input []byte, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"--git-dir", r.repository, "-c",
		"core.hooksPath=/dev/null", "-c", "commit.gpgSign=false",
	}, arguments...)...)
	cmd.Env = append(project.GitEnvironment(),
		"GIT_AUTHOR_NAME=surrealdb-memory", "GIT_AUTHOR_EMAIL=", "GIT_COMMITTER_NAME=surrealdb-memory", "GIT_COMMITTER_EMAIL=")
	cmd.Stdin, cmd.WaitDelay = bytes.NewReader(input), time.Second
	out, problem := bounded{left: most}, bounded{left: 1 << 10, cuts: true}
	cmd.Stdout, cmd.Stderr = &out, &problem
	err := cmd.Run()
	switch {
	case out.isFull:
		return nil, fmt.Errorf("git %s: it answers with more than %d bytes: %w", arguments[0], most, memory.ErrInvalid)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: it took more than %s: %w", arguments[0], limit, context.Cause(ctx))
	case err != nil:
		return nil, fmt.Errorf("git %s: %w: %s", arguments[0], err, memory.Cut(memory.OneLine(problem.text.String()), 300))
	}
	return out.text.Bytes(), nil
}

// bounded keeps the first bytes that are written, up to a number. More is an error, which ends the program that writes, or is cut.
type bounded struct {
	text   bytes.Buffer
	left   int64
	cuts   bool
	isFull bool
}

func (b *bounded) Write(p []byte) (int, error) {
	kept := p[:min(int64(len(p)), b.left)]
	b.left -= int64(len(kept))
	b.text.Write(kept)
	if len(kept) < len(p) && !b.cuts {
		b.isFull = true
		return len(kept), io.ErrShortWrite
	}
	return len(p), nil
}
