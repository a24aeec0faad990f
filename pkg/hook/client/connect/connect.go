// Package connect adds our hooks and our MCP server to Codex's configuration, removes them, and reports their state. A
// file is parsed before the change and compared after it; a file in an unknown form is refused. Connecting saves the
// old content, so disconnecting restores every byte if nobody has changed the file since; otherwise it removes our
// entries only.
package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/settings"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// ErrUnsupported is returned by Connect on Windows.
var ErrUnsupported = errors.New("Codex can be connected on Linux and macOS only: the program that it calls is a shell script")

// State reports the state of Codex's configuration. A file that cannot be read or understood is listed as a problem.
func (c Codex) State() State {
	s := State{Installed: c.isInstalled(), Connected: true}
	for _, f := range c.files() {
		content, err := settings.Read(f.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.problem("%s cannot be read: %v", f.path, err)
		}
		has, err := f.part.Has(content)
		if err != nil {
			s.problem("%s: %v", f.path, err)
		}
		s.Connected, s.Partly = s.Connected && has, s.Partly || has || f.hasSome(content)
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

// Connect adds the missing entries and reports whether any were missing. It first saves the old contents. If one file
// has an unknown form, it changes none and fails.
func (c Codex) Connect() (changed bool, err error) {
	if runtime.GOOS == "windows" {
		return false, ErrUnsupported
	}
	recorded, err := c.recorded()
	if err != nil {
		return false, err
	}
	var changes []change
	for _, f := range c.files() {
		one, err := f.plan(recorded[f.path])
		if err != nil {
			return false, fmt.Errorf("connect Codex: %s: %w; nothing was changed", f.path, err)
		}
		changed = changed || !bytes.Equal(one.old, one.content)
		changes = append(changes, one)
	}
	if err := launcher.Write(c.env.Paths, c.env.Plugin); err != nil {
		return false, err
	}
	if !changed {
		return false, nil
	}
	if err := c.keep(changes); err != nil {
		return false, fmt.Errorf("connect Codex: save the old contents of its files: %w; nothing was changed", err)
	}
	for _, one := range changes {
		if err := one.write(one.content); err != nil {
			return true, fmt.Errorf("connect Codex: %w", err)
		}
	}
	return true, nil
}

// Disconnect restores each file that nobody has changed since Connect, removes our entries from every other file, and
// reports whether anything changed.
func (c Codex) Disconnect() (changed bool, err error) {
	recorded, err := c.recorded()
	if err != nil {
		return false, err
	}
	var todo []change
	for _, f := range c.files() {
		one, err := f.without(recorded[f.path])
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("disconnect Codex: %s: %w; nothing was changed", f.path, err)
		}
		todo = append(todo, one)
	}
	for _, one := range todo {
		changed = changed || !bytes.Equal(one.old, one.content)
		if !one.Existed {
			err = os.Remove(one.Path)
		} else {
			err = one.write(one.content)
		}
		if err != nil {
			return changed, fmt.Errorf("disconnect Codex: %w", err)
		}
	}
	if err := os.Remove(c.record()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return changed, fmt.Errorf("disconnect Codex: %w", err)
	}
	return changed, nil
}

// record returns the path of the record of our changes.
func (c Codex) record() string { return filepath.Join(c.env.Paths.Clients(), "codex.json") }

func (c Codex) recorded() (map[string]change, error) {
	data, err := os.ReadFile(c.record())
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]change{}, nil
	}
	var all []change
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read the changes for Codex: %w; without %s only our entries are removed", err, c.record())
	}
	byPath := map[string]change{}
	for _, one := range all {
		byPath[one.Path] = one
	}
	return byPath, nil
}

// keep writes the record of our changes.
func (c Codex) keep(changes []change) error {
	data, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	return atomicfile.Write(c.record(), 0o600, data)
}
