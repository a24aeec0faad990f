package connect

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/settings"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// Env has the locations of Codex's configuration and of the programs that Codex calls.
type Env struct {
	Paths  paths.Layout
	Getenv func(string) string
	Plugin string // the plugin's directory, as paths.InstalledRoot returns it
}

// Codex edits Codex's configuration: our hooks in hooks.json, and our MCP server in config.toml. Remove also takes out
// of config.toml the records that the user trusts our hooks.
type Codex struct {
	env    Env
	dir    string
	hooks  settings.Hooks
	server settings.Table
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

// launcherMark is the end of the launcher's path in every home.
const launcherMark = "/clients/run"

// NewCodex returns the configuration in CODEX_HOME or ~/.codex.
func NewCodex(env Env) Codex {
	home := cmp.Or(env.Getenv("HOME"), env.Getenv("USERPROFILE"))
	dir := cmp.Or(env.Getenv("CODEX_HOME"), filepath.Join(home, ".codex"))
	if real, err := filepath.EvalSymlinks(dir); err == nil && env.Getenv("CODEX_HOME") != "" { // Codex resolves it, too
		dir = real
	}
	return Codex{env: env, dir: dir, hooks: hooksOf(env), server: settings.Table{
		Path: []string{"mcp_servers", client.Server}, IsOurs: func(command string) bool { return strings.HasSuffix(command, launcherMark) },
		Body: "command = " + string(settings.Raw(env.Paths.Launcher())) + "\nargs = [\"memory-mcp\"]\n", // JSON's escapes are TOML's
	}}
}

// hooksOf returns the hooks that make Codex start our programs. IsOurs also recognises the hooks of other versions and
// homes.
func hooksOf(env Env) settings.Hooks {
	const call = " --client " + client.Codex
	hooks := settings.Hooks{IsOurs: func(command string) bool {
		return strings.HasSuffix(command, call) && strings.Contains(command, launcherMark+"' ")
	}}
	for _, h := range codexHooks {
		one := settings.Hook{
			Event: h.event, Matcher: h.matcher, Command: shell.Quote(env.Paths.Launcher()) + " " + h.program + call, Timeout: timeout,
		}
		if h.event == "SessionEnd" {
			one.Timeout = endTimeout
		}
		hooks.Wanted = append(hooks.Wanted, one)
	}
	return hooks
}

func (c Codex) Transcripts() string { return filepath.Join(c.dir, "sessions") }

func (c Codex) hooksPath() string  { return filepath.Join(c.dir, "hooks.json") }
func (c Codex) configPath() string { return filepath.Join(c.dir, "config.toml") }

// Files returns the paths of the files that Connect changes.
func (c Codex) Files() []string { return []string{c.hooksPath(), c.configPath()} }

func (c Codex) files() []file {
	return []file{{c.hooksPath(), c.hooks}, {c.configPath(), codexConfig{c.server, c}}}
}

// codexConfig is our part of config.toml: the server.
type codexConfig struct {
	settings.Table
	of Codex
}

// stateOf is the path of the table in which Codex records the hooks that its user trusts.
var stateOf = []string{"hooks", "state"}

// Remove returns content without the server and without Codex's trust records for our hooks.
func (c codexConfig) Remove(content []byte) ([]byte, error) {
	content, err := c.Table.Remove(content)
	if err != nil {
		return nil, err
	}
	hooks, err := settings.Read(c.of.hooksPath())
	if err != nil {
		return content, nil // if there is no hooks file, no hook of ours is trusted
	}
	found, err := c.of.hooks.Found(hooks)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, one := range found {
		keys = append(keys, c.of.key(one))
	}
	left, err := settings.WithoutTables(content, func(name []string) bool {
		return len(name) == 3 && settings.HasPrefix(name, stateOf) && slices.Contains(keys, name[2])
	})
	if err != nil || len(left) == len(content) {
		return left, err
	}
	root, err := settings.ParseTOML(left, stateOf[0])
	if err != nil {
		return nil, err
	}
	if state, _ := settings.Lookup(root, stateOf...); state != nil && len(state.(map[string]any)) == 0 {
		return settings.WithoutTables(left, func(name []string) bool { return slices.Equal(name, stateOf) })
	}
	return left, nil
}

// key returns Codex's key for a hook in its trust records.
func (c Codex) key(one settings.Placed) string {
	return fmt.Sprintf("%s:%s:%d:%d", c.hooksPath(), client.Words(one.Event, "_"), one.Group, one.Number)
}

// hash returns the hash by which Codex 0.169.0 recognises a trusted hook: SHA-256 of its JSON with sorted keys.
func hash(one settings.Placed) string {
	identity := map[string]any{"event_name": client.Words(one.Event, "_"), "hooks": []any{
		map[string]any{"async": false, "command": one.Command, "timeout": one.Timeout, "type": "command"},
	}}
	if one.Matcher != "" {
		identity["matcher"] = one.Matcher
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(settings.Raw(identity)))
}

// check adds to s the reasons why Codex would not run our hooks, if both files have all our entries.
func (c Codex) check(s *State) {
	hooks, errHooks := settings.Read(c.hooksPath())
	content, errConfig := settings.Read(c.configPath())
	found, errFound := c.hooks.Found(hooks)
	root, errParse := settings.ParseTOML(content, "features", c.server.Path[0], stateOf[0])
	if err := errors.Join(errHooks, errConfig, errFound, errParse); err != nil {
		s.problem("%s or %s: %v", c.hooksPath(), c.configPath(), err)
		return
	}
	if on, set := settings.Lookup(root, "features", "hooks"); set && on == false {
		s.problem("hooks are switched off in %s", c.configPath())
		s.Remedy = "remove hooks = false from [features]"
		return
	}
	if on, set := settings.Lookup(root, append(slices.Clone(c.server.Path), "enabled")...); set && on == false {
		s.problem("the MCP server is switched off in %s", c.configPath())
	}
	untrusted, off := 0, 0
	for _, one := range found {
		trusted, _ := settings.Lookup(root, append(slices.Clone(stateOf), c.key(one), "trusted_hash")...)
		enabled, set := settings.Lookup(root, append(slices.Clone(stateOf), c.key(one), "enabled")...)
		switch {
		case set && enabled == false:
			off++
		case trusted != hash(one):
			untrusted++
		}
	}
	if off > 0 {
		s.problem("%d of %d hooks are switched off", off, len(found))
		s.Remedy = "start codex, and switch them on with /hooks"
	}
	if untrusted > 0 {
		s.problem("%d of %d hooks are not trusted, and Codex skips them silently", untrusted, len(found))
		s.Remedy = "start codex, and trust them when it says that hooks need review, or with /hooks"
	}
}
