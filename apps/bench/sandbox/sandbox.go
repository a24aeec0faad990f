// Package sandbox runs measured programs in one temporary directory with a copy of the built plugin, a repository,
// and homes. It starts and times programs as the client does, and leaves no process and no file behind. It does not
// judge times.
package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Sandbox is a temporary directory with a copy of the plugin and a repository.
type Sandbox struct {
	Plugin  string // copy of the plugin
	Project string // repository in which sessions work
	dir     string
	floor   string
}

// origin gives the repository its own project key, wherever it lies.
const origin = "https://example.com/bench/measured.git"

// Open copies the built plugin out of a checkout, so that a later build does not change the measured programs. It
// also builds the floor: an empty static program, with the flags of the plugin's programs.
func Open(ctx context.Context, checkout string) (*Sandbox, error) {
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return nil, fmt.Errorf("open a sandbox: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("open a sandbox: %w", err)
	}
	s := &Sandbox{Plugin: filepath.Join(dir, "plugin"), Project: filepath.Join(dir, "project"), dir: dir, floor: filepath.Join(dir, "floor", "floor")}
	err = errors.Join(s.copyPlugin(filepath.Join(checkout, "plugin")), s.makeProject(), s.buildFloor(ctx))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open a sandbox: %w", err), s.Close())
	}
	return s, nil
}

// Close removes the sandbox. Its homes must be stopped before.
func (s *Sandbox) Close() error { return os.RemoveAll(s.dir) }

func (s *Sandbox) copyPlugin(from string) error {
	for _, built := range []string{"bin", "hooks", "libexec"} {
		if err := os.CopyFS(filepath.Join(s.Plugin, built), os.DirFS(filepath.Join(from, built))); err != nil {
			return fmt.Errorf("copy the plugin; is it built (make build)? %w", err)
		}
	}
	engine, err := filepath.Abs(filepath.Join(from, "engine"))
	if err != nil {
		return err
	}
	return os.Symlink(engine, filepath.Join(s.Plugin, "engine")) // 25 MB, and never rebuilt
}

func (s *Sandbox) makeProject() error {
	return writeFiles(s.Project, map[string]string{
		"a.txt":       "one\nTWO\n",
		".git/HEAD":   "ref: refs/heads/main\n",
		".git/config": "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = " + origin + "\n",
	})
}

func (s *Sandbox) buildFloor(ctx context.Context) error {
	dir := filepath.Dir(s.floor)
	err := writeFiles(dir, map[string]string{
		"go.mod":  "module floor\n\ngo 1.26.0\n",
		"main.go": "package main\n\nfunc main() {}\n",
	})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", s.floor, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the empty program: %w: %s", err, output)
	}
	return nil
}

func writeFiles(dir string, files map[string]string) error {
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// Floor returns a call of the empty program.
func (s *Sandbox) Floor() Call { return Call{Command: s.floor} }

// Home returns a home in the sandbox. Its first user creates the folder.
func (s *Sandbox) Home(name string) *Home { return &Home{Dir: filepath.Join(s.dir, name), sandbox: s} }

// Call is one program to start. Stdin is a file from WriteInput, or empty for no input.
type Call struct {
	Command string
	Args    []string
	Stdin   string
}

// WriteInput stores an input for later calls. All inputs must be written before the measurement, because the measured
// program's fsync would have to wait for them.
func (s *Sandbox) WriteInput(content []byte) (path string, err error) {
	f, err := os.CreateTemp(s.dir, "stdin-")
	if err != nil {
		return "", fmt.Errorf("write an input: %w", err)
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write an input: %w", err)
	}
	return f.Name(), nil
}

// Result is the outcome of a program. Took is the time from before its start until its end, as the parent sees it.
type Result struct {
	Took   time.Duration
	Output []byte
	// Err is set, with standard error, if the exit code was not 0.
	Err error
}

// run starts a program as the client does, with its input from a file and its output into a pipe. An error means that
// nothing was measured.
func (s *Sandbox) run(ctx context.Context, c Call, env []string) (Result, error) {
	if c.Stdin == "" {
		c.Stdin = os.DevNull
	}
	stdin, err := os.Open(c.Stdin)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = stdin.Close() }()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Command, c.Args...)
	cmd.Dir, cmd.Env = s.Project, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr

	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Result{}, fmt.Errorf("start %s: %w", filepath.Base(c.Command), err)
	}
	err = cmd.Wait()
	result := Result{Took: time.Since(began), Output: stdout.Bytes()}
	if err != nil {
		result.Err = fmt.Errorf("%s: %w: %s", filepath.Base(c.Command), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return result, ctx.Err()
}

// copyTree copies the home of a stopped daemon, without sockets. It keeps the files' times, by which a hook decides
// whether somebody is already starting the daemon.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		info, err := entry.Info()
		switch {
		case err != nil || entry.IsDir():
			return errors.Join(err, os.MkdirAll(target, 0o700))
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(target, content, 0o600), os.Chtimes(target, info.ModTime(), info.ModTime()))
	})
}
