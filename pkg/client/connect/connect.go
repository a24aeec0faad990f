// Package connect puts our hooks and our MCP server into the configuration of other clients than Claude
// Code, takes them out again, and reports the state. A file is parsed before it is changed and compared
// after; one in an unknown form is refused. Its old content is kept, so that disconnecting restores every
// byte if nobody has changed the file since; otherwise our entries alone are taken out.
package connect

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/settings"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// ErrUnsupported: a client cannot be connected on this system.
var ErrUnsupported = errors.New("other clients can be connected on Linux and macOS only: the program that they call is a shell script")

// Env is the place of the clients' configuration and of the programs that they call.
type Env struct {
	Paths  paths.Layout
	Getenv func(string) string
	Plugin string // the plugin's directory, as paths.InstalledRoot has it
}

// Client is another client on this machine.
type Client struct {
	Name  string
	Title string

	program     string // that people start
	dir         string // of its configuration
	transcripts string // the folder of them
	trust       string // a step of its user's after connecting; empty for none
	files       []file
	check       func(*State) // why a connected client would pass over our hooks; nil: it never does
	env         Env
}

// file is one file of a client's configuration, with our part in it.
type file struct {
	path string
	part settings.Part
}

// State is how it stands with a client.
type State struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Installed bool   `json:"installed"` // its program is on the PATH, or it has left a configuration
	Connected bool   `json:"connected"` // all that we add is there
	Partly    bool   `json:"partly,omitempty"`
	// Problems keep a connected client from working, each a sentence; Remedy mends the last one.
	Problems []string `json:"problems,omitempty"`
	Remedy   string   `json:"remedy,omitempty"`
}

// Files are the files that connecting changes.
func (c Client) Files() []string {
	var all []string
	for _, f := range c.files {
		all = append(all, f.path)
	}
	return all
}

// Transcripts is the folder in which the client keeps those of its sessions.
func (c Client) Transcripts() string { return c.transcripts }

// Trust is the step of the client's user without which our hooks do not run; empty for none.
func (c Client) Trust() string { return c.trust }

// State looks at the client's configuration. A file that is not understood is a problem, and no error.
func (c Client) State() State {
	s := State{Name: c.Name, Title: c.Title, Installed: c.isInstalled(), Connected: true}
	for _, f := range c.files {
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
		s.problem("its configuration has only a part of our entries, or those of an earlier version")
		s.Remedy = "memory setup clients connect " + c.Name
	}
	if s.Connected {
		if _, err := os.Stat(c.env.Paths.Launcher()); err != nil {
			s.problem("the program that its hooks call is missing: %v", err)
			s.Remedy = "memory setup clients connect " + c.Name
		}
		if c.check != nil {
			c.check(&s)
		}
	}
	return s
}

// hasSome reports whether a file has anything of ours, also of an earlier version.
func (f file) hasSome(content []byte) bool {
	left, err := f.part.Remove(content)
	return err == nil && !bytes.Equal(left, content)
}

func (s *State) problem(format string, args ...any) {
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}

func (c Client) isInstalled() bool {
	if _, err := exec.LookPath(c.program); err == nil {
		return true
	}
	info, err := os.Stat(c.dir)
	return err == nil && info.IsDir()
}

// change is the change of a file by connecting.
type change struct {
	Path    string      `json:"path"`
	Existed bool        `json:"existed"`
	Before  []byte      `json:"before,omitempty"` // its content, without anything of ours
	After   string      `json:"after"`            // the sum of the content that we left
	Mode    fs.FileMode `json:"-"`
	old     []byte
	content []byte
}

// record is the file that lists the changes for a client.
func (c Client) record() string { return filepath.Join(c.env.Paths.Clients(), c.Name+".json") }

func (c Client) recorded() (map[string]change, error) {
	data, err := os.ReadFile(c.record())
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]change{}, nil
	}
	var all []change
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read the changes for %s: %w; without %s our entries alone are taken out", c.Title, err, c.record())
	}
	byPath := map[string]change{}
	for _, one := range all {
		byPath[one.Path] = one
	}
	return byPath, nil
}

// Connect adds the missing entries, and reports whether there were any. It first saves the old contents, and changes no
// file if one of them has an unknown form.
func (c Client) Connect() (changed bool, err error) {
	if runtime.GOOS == "windows" {
		return false, ErrUnsupported
	}
	recorded, err := c.recorded()
	if err != nil {
		return false, err
	}
	var changes []change
	for _, f := range c.files {
		one, err := f.plan(recorded[f.path])
		if err != nil {
			return false, fmt.Errorf("connect %s: %s: %w; nothing was changed", c.Title, f.path, err)
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
	data, err := json.Marshal(changes)
	if err == nil {
		err = atomicfile.Write(c.record(), 0o600, data)
	}
	if err != nil {
		return false, fmt.Errorf("connect %s: keep what its files were: %w; nothing was changed", c.Title, err)
	}
	for _, one := range changes {
		if err := one.write(one.content); err != nil {
			return true, fmt.Errorf("connect %s: %w", c.Title, err)
		}
	}
	return true, nil
}

// now is the file as it is, without a change. fs.ErrNotExist if there is none.
func (f file) now() (change, error) {
	one := change{Path: f.path, Mode: 0o600}
	info, err := os.Stat(f.path)
	if err != nil {
		return one, err
	}
	one.Existed, one.Mode = true, info.Mode().Perm()
	one.old, err = settings.Read(f.path)
	return one, err
}

// plan is the new content of the file, with its content without our entries.
func (f file) plan(last change) (change, error) {
	one, err := f.now()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return one, err
	}
	if one.content, err = f.part.Add(one.old); err != nil {
		return one, err
	}
	one.After = sum(one.content)
	if last.Path != "" && last.After == sum(one.old) { // nobody was there since we were
		one.Before, one.Existed = last.Before, last.Existed
		return one, nil
	}
	one.Before, err = f.part.Remove(one.old)
	return one, err
}

// write replaces the file. A link is followed: people keep their settings in a repository.
func (one change) write(content []byte) error {
	if bytes.Equal(one.old, content) {
		return nil
	}
	path := one.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, one.Mode, content)
}

// Disconnect restores the files that nobody has changed since, removes our entries from the others, and reports
// whether there were any.
func (c Client) Disconnect() (changed bool, err error) {
	recorded, err := c.recorded()
	if err != nil {
		return false, err
	}
	var todo []change
	for _, f := range c.files {
		one, err := f.without(recorded[f.path])
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("disconnect %s: %s: %w; nothing was changed", c.Title, f.path, err)
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
			return changed, fmt.Errorf("disconnect %s: %w", c.Title, err)
		}
	}
	if err := os.Remove(c.record()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return changed, fmt.Errorf("disconnect %s: %w", c.Title, err)
	}
	return changed, nil
}

// without is the change that takes our entries out of a file, or that brings back the file as it was recorded before
// we connected, if nobody has changed it since. fs.ErrNotExist if there is no file.
func (f file) without(last change) (change, error) {
	one, err := f.now()
	if err == nil {
		one.content, err = f.part.Remove(one.old)
	}
	if err != nil {
		return change{}, err
	}
	if len(one.content) == 0 && len(one.old) > 0 { // nothing but ours was there
		one.Existed = false
	}
	if last.Path != "" && (last.After == sum(one.old) || bytes.Equal(one.content, last.Before)) {
		one.content, one.Existed = last.Before, last.Existed
	}
	return one, nil
}

func sum(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}
