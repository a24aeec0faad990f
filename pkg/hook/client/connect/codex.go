package connect

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

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

// hooksOf returns the hooks that make Codex start our programs. isOurs also recognises the hooks of other versions and
// homes.
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

// Files returns the paths of the files that Connect changes.
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

// check adds to s the reasons why Codex would not run our hooks, if both files have all our entries.
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
