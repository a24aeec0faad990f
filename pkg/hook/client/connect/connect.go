// Package connect adds our hooks and our MCP server to Codex's configuration, removes them, and reports their state. A
// file is parsed before and after the change; a file in an unknown form is refused. What others wrote stays.
package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
)

// ErrUnsupported is returned by Connect on Windows.
var ErrUnsupported = errors.New("Codex can be connected on Linux and macOS only: the program that it calls is a shell script")

// State reports the state of Codex's configuration. A file that cannot be read or understood is listed as a problem.
func (c Codex) State() State {
	s := State{Installed: c.isInstalled(), Connected: true}
	for _, f := range c.files() {
		content, err := read(f.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.problem("%s cannot be read: %v", f.path, err)
		}
		has, err := f.part.Has(content)
		if err != nil {
			s.problem("%s: %v", f.path, err)
		}
		left, errRemove := f.part.Remove(content)
		hasSome := errRemove == nil && !bytes.Equal(left, content) // hooks of an earlier version count, too
		s.Connected, s.Partly = s.Connected && has, s.Partly || has || hasSome
	}
	s.Partly = s.Partly && !s.Connected
	if s.Partly {
		s.problem("its configuration has only some of our entries, or entries of an earlier version")
		s.Remedy = remedy
	}
	if s.Connected {
		if _, err := os.Stat(c.env.Paths.Launcher()); err != nil {
			s.problem("the program that its hooks call is missing: %v", err)
			s.Remedy = remedy
		}
		c.check(&s)
	}
	return s
}

func (c Codex) isInstalled() bool {
	if _, err := exec.LookPath("codex"); err == nil {
		return true
	}
	info, err := os.Stat(c.dir)
	return err == nil && info.IsDir()
}

// Connect adds the missing entries and reports whether any were missing. If one file has an unknown form, it changes none
// and fails.
func (c Codex) Connect() (changed bool, err error) {
	if runtime.GOOS == "windows" {
		return false, ErrUnsupported
	}
	return c.edit("connect", part.Add, func() error { return launcher.Write(c.env.Paths, c.env.Plugin) })
}

// Disconnect removes our entries, and a file that has no others, and reports whether anything changed.
func (c Codex) Disconnect() (changed bool, err error) {
	return c.edit("disconnect", part.Remove, func() error { return nil })
}

// edit changes our part of each file, after a call of prepare, and reports whether anything changed. It changes nothing
// if a file cannot be read or understood, or if prepare fails.
func (c Codex) edit(verb string, of func(part, []byte) ([]byte, error), prepare func() error) (changed bool, err error) {
	var changes []change
	for _, f := range c.files() {
		one, err := f.now()
		if err == nil {
			one.content, err = of(f.part, one.old)
		}
		if err != nil {
			return false, fmt.Errorf("%s Codex: %s: %w; nothing was changed", verb, f.path, err)
		}
		changes = append(changes, one)
	}
	if err := prepare(); err != nil {
		return false, err
	}
	for _, one := range changes {
		if bytes.Equal(one.old, one.content) {
			continue
		}
		if err := one.write(); err != nil {
			return changed, fmt.Errorf("%s Codex: %w", verb, err)
		}
		changed = true
	}
	return changed, nil
}
