// Package connect adds our hooks and our MCP server to Codex's configuration, removes them, and reports their state. A
// file is parsed before and after the change; a file in an unknown form is refused. What others wrote stays.
package connect

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
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
		s.problem("its configuration lacks entries of this memory, or has those of an earlier version")
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

// Connect adds the missing entries and reports whether there were any. If a file has an unknown form, it changes none and fails.
func (c Codex) Connect() (changed bool, err error) {
	if runtime.GOOS == "windows" {
		return false, ErrUnsupported
	}
	return c.edit("connect", part.Add, func() error { return launcher.Write(c.env.Paths, c.env.Plugin) })
}

// Disconnect removes our entries, and a file in which nothing else is left. It reports whether anything changed.
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

// State is the state of our entries in Codex's configuration.
type State struct {
	Installed bool `json:"installed"` // Codex is on the PATH, or its configuration directory exists
	Connected bool `json:"connected"` // all our entries are there
	Partly    bool `json:"partly,omitempty"`
	// Problems are sentences, each a reason why the connection does not work. Remedy solves the last problem.
	Problems []string `json:"problems,omitempty"`
	Remedy   string   `json:"remedy,omitempty"`
}

const remedy = "memory setup codex on"

func (s *State) problem(format string, args ...any) {
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}

// file is one file of Codex's configuration, with the part that is ours: the hooks or the server.
type file struct {
	path string
	part part
}

// part is our part of a file.
type part interface {
	Add(content []byte) ([]byte, error)
	Remove(content []byte) ([]byte, error)
	Has(content []byte) (bool, error) // the whole part, as this version writes it
}

// change is a file's new content.
type change struct {
	path         string
	mode         fs.FileMode
	old, content []byte
}

// now returns the file's current content as a change. A missing file is empty.
func (f file) now() (change, error) {
	one := change{path: f.path, mode: 0o600}
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return one, nil
	}
	if err != nil {
		return one, err
	}
	one.mode = info.Mode().Perm()
	one.old, err = read(f.path)
	return one, err
}

// write replaces the file, or removes it if it has become empty. It follows a link, because people keep their settings in a
// repository. The target of a link is never removed.
func (one change) write() error {
	path := one.path
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	switch isLink := path != one.path; {
	case len(one.content) == 0 && !isLink:
		return os.Remove(path)
	case len(one.content) == 0 && filepath.Ext(path) == ".json":
		one.content = []byte("{}\n")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, one.mode, one.content)
}

// mostBytes is the size limit of a settings file, larger than any real file.
const mostBytes = 16 << 20

// read returns the content of a regular file of at most mostBytes. Anything else, such as a pipe, is an error, because
// reading could block forever. A missing file is fs.ErrNotExist.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file (%s): replace it by a file", path, info.Mode().Type())
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that settings may have", path, info.Size(), mostBytes)
	}
	return os.ReadFile(path)
}

// Env has the locations of Codex's configuration and of the programs that Codex calls.
type Env struct {
	Paths  paths.Layout
	Getenv func(string) string
	Plugin string // the plugin's directory, as paths.InstalledRoot returns it
}

// Codex edits Codex's configuration: our hooks in hooks.json, and our MCP server in config.toml.
type Codex struct {
	env    Env
	dir    string
	hooks  hooks
	server server
}

// Trust tells Codex's user how to make our hooks run.
const Trust = "Codex silently skips hooks that you have not trusted: start codex, and trust them when it says that hooks need review, or with /hooks"

// codexHooks lists the events of Codex 0.169.0 that we serve, the tools they are limited to, and our program for each.
// Codex has no event for a failed command, so two programs handle PostToolUse of Bash.
var codexHooks = []struct{ event, matcher, program string }{
	{"SessionStart", "", "session-start"},
	{"UserPromptSubmit", "", "user-prompt-submit"},
	{"PreToolUse", "Bash|apply_patch|.*spawn_agent", "pre-tool-use"},
	{"PostToolUse", "", "post-tool-use"},
	{"PostToolUse", "Bash", "post-tool-use-failure"},
	{"SubagentStart", "", "subagent-start"},
	{"SubagentStop", "", "subagent-stop"},
	{"PreCompact", "", "pre-compact"},
	{"PostCompact", "", "post-compact"},
	{"Stop", "", "stop"},
	{"SessionEnd", "", "session-end"},
}

// Hook timeouts in seconds. Codex allows at most 3 at the end of a session.
const (
	timeout    = 5
	endTimeout = 3
)

// NewCodex returns the configuration in CODEX_HOME or ~/.codex.
func NewCodex(env Env) Codex {
	home := cmp.Or(env.Getenv("HOME"), env.Getenv("USERPROFILE"))
	dir := cmp.Or(env.Getenv("CODEX_HOME"), filepath.Join(home, ".codex"))
	if real, err := filepath.EvalSymlinks(dir); err == nil && env.Getenv("CODEX_HOME") != "" { // Codex resolves it, too
		dir = real
	}
	return Codex{env: env, dir: dir, hooks: hooksOf(env), server: server{
		"[" + strings.Join(serverPath, ".") + "]\ncommand = " + string(raw(env.Paths.Launcher())) + "\nargs = [\"memory-mcp\"]\n", // JSON's escapes are TOML's
	}}
}

// hooksOf returns the hooks that make Codex start our programs. Their isOurs also recognises the hooks of other versions and homes.
func hooksOf(env Env) hooks {
	const call = " --client " + client.Codex
	ours := hooks{isOurs: func(command string) bool {
		return strings.HasSuffix(command, call) && strings.Contains(command, launcherMark+"' ")
	}}
	for _, h := range codexHooks {
		one := hook{
			Event: h.event, Matcher: h.matcher, Command: shell.Quote(env.Paths.Launcher()) + " " + h.program + call, Timeout: timeout,
		}
		if h.event == "SessionEnd" {
			one.Timeout = endTimeout
		}
		ours.wanted = append(ours.wanted, one)
	}
	return ours
}

func (c Codex) Transcripts() string { return filepath.Join(c.dir, "sessions") }

func (c Codex) hooksPath() string  { return filepath.Join(c.dir, "hooks.json") }
func (c Codex) configPath() string { return filepath.Join(c.dir, "config.toml") }

func (c Codex) Files() []string { return []string{c.hooksPath(), c.configPath()} }

func (c Codex) files() []file {
	return []file{{c.hooksPath(), c.hooks}, {c.configPath(), c.server}}
}

// hash returns the hash by which Codex 0.169.0 recognises a trusted hook: SHA-256 of its JSON with sorted keys.
func hash(one hook) string {
	identity := map[string]any{"event_name": client.SplitName(one.Event, "_"), "hooks": []any{
		map[string]any{"async": false, "command": one.Command, "timeout": one.Timeout, "type": "command"},
	}}
	if one.Matcher != "" {
		identity["matcher"] = one.Matcher
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(raw(identity)))
}

// check adds to s the reasons why Codex would not run our hooks although both files have all our entries.
func (c Codex) check(s *State) {
	content, errRead := read(c.configPath())
	config, err := readConfig(content)
	if err := errors.Join(errRead, err); err != nil {
		s.problem("%s: %v", c.configPath(), err)
		return
	}
	if config.hooksOff {
		s.problem("hooks are switched off in %s", c.configPath())
		s.Remedy = "remove hooks = false from [features]"
		return
	}
	untrusted := 0
	for _, one := range c.hooks.wanted {
		if !bytes.Contains(content, []byte(hash(one))) { // the user's trust in a hook is recorded by its hash
			untrusted++
		}
	}
	if untrusted > 0 {
		s.problem("%d of %d hooks are not trusted, and Codex skips them silently", untrusted, len(c.hooks.wanted))
		s.Remedy = "start codex, and trust them when it says that hooks need review, or with /hooks"
	}
}
