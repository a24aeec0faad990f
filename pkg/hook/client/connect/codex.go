package connect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/settings"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Env is the place of Codex's configuration and of the programs that it calls.
type Env struct {
	Paths  paths.Layout
	Getenv func(string) string
	Plugin string // the plugin's directory, as paths.InstalledRoot has it
}

// Codex is its configuration: hooks.json, and config.toml with MCP servers, features and trust. Our part of the latter
// is the server, and goes with the trust in our hooks.
type Codex struct {
	env    Env
	dir    string
	hooks  settings.Hooks
	server settings.Table
}

// Trust is the step of Codex's user without which our hooks do not run.
const Trust = "Codex passes over hooks that you have not trusted, without a word: start codex, and trust them when it says that hooks need review, or with /hooks"

// codexHooks are the events of Codex 0.169.0 that we serve, with the tools and our program. It has no event of its own
// for a command that failed, so two programs look at each.
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

// The timeouts of hooks in seconds. For a session's end Codex allows 3.
const (
	timeout    = 5
	endTimeout = 3
)

// launcherMark ends the path of the launcher, of whatever home.
const launcherMark = "/clients/run"

// NewCodex finds Codex's configuration.
func NewCodex(env Env) Codex {
	home := cmp.Or(env.Getenv("HOME"), env.Getenv("USERPROFILE"))
	dir := cmp.Or(env.Getenv("CODEX_HOME"), filepath.Join(home, ".codex"))
	if real, err := filepath.EvalSymlinks(dir); err == nil && env.Getenv("CODEX_HOME") != "" { // as Codex does with it
		dir = real
	}
	return Codex{env: env, dir: dir, hooks: hooksOf(env), server: settings.Table{
		Path: []string{"mcp_servers", client.Server}, IsOurs: func(command string) bool { return strings.HasSuffix(command, launcherMark) },
		Body: "command = " + string(settings.Raw(env.Paths.Launcher())) + "\nargs = [\"memory-mcp\"]\n", // JSON's escapes are TOML's
	}}
}

// hooksOf are those that have Codex start our programs. Ours are those that any version has written, for whatever home.
func hooksOf(env Env) settings.Hooks {
	const call = " --client " + client.Codex
	hooks := settings.Hooks{IsOurs: func(command string) bool {
		return strings.HasSuffix(command, call) && strings.Contains(command, launcherMark+"' ")
	}}
	for _, h := range codexHooks {
		one := settings.Hook{
			Event: h.event, Matcher: h.matcher, Command: launcher.Quote(env.Paths.Launcher()) + " " + h.program + call, Timeout: timeout,
		}
		if h.event == "SessionEnd" {
			one.Timeout = endTimeout
		}
		hooks.Wanted = append(hooks.Wanted, one)
	}
	return hooks
}

// Transcripts is the folder in which Codex keeps those of its sessions.
func (c Codex) Transcripts() string { return filepath.Join(c.dir, "sessions") }

func (c Codex) hooksPath() string  { return filepath.Join(c.dir, "hooks.json") }
func (c Codex) configPath() string { return filepath.Join(c.dir, "config.toml") }

// Files are the files that connecting changes.
func (c Codex) Files() []string { return []string{c.hooksPath(), c.configPath()} }

func (c Codex) files() []file {
	return []file{{c.hooksPath(), c.hooks}, {c.configPath(), codexConfig{c}}}
}

// codexConfig is our part of config.toml.
type codexConfig struct{ Codex }

// stateOf is the table in which Codex keeps which hooks its user trusts.
var stateOf = []string{"hooks", "state"}

// Add puts the server in.
func (c codexConfig) Add(content []byte) ([]byte, error) { return c.server.Add(content) }

// Has reports whether the server is there.
func (c codexConfig) Has(content []byte) (bool, error) { return c.server.Has(content) }

// Remove takes out the server, and what Codex notes about the trust in our hooks.
func (c codexConfig) Remove(content []byte) ([]byte, error) {
	content, err := c.server.Remove(content)
	if err != nil {
		return nil, err
	}
	hooks, err := settings.Read(c.hooksPath())
	if err != nil {
		return content, nil // then there is none of ours that was trusted
	}
	found, err := c.hooks.Found(hooks)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, one := range found {
		keys = append(keys, c.key(one))
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

// key is Codex's name for a hook.
func (c Codex) key(one settings.Placed) string {
	return fmt.Sprintf("%s:%s:%d:%d", c.hooksPath(), snake(one.Event), one.Group, one.Number)
}

// hash is the hash by which Codex 0.169.0 recognises a trusted hook: of its JSON with members in the order of their names.
func hash(one settings.Placed) string {
	identity := map[string]any{"event_name": snake(one.Event), "hooks": []any{
		map[string]any{"async": false, "command": one.Command, "timeout": one.Timeout, "type": "command"},
	}}
	if one.Matcher != "" {
		identity["matcher"] = one.Matcher
	}
	return "sha256:" + sum(settings.Raw(identity))
}

// snake writes a name in small letters, with _ before each that was a capital: session_start.
func snake(name string) string {
	var small strings.Builder
	for i, letter := range name {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			small.WriteByte('_')
		}
		small.WriteRune(letter)
	}
	return strings.ToLower(small.String())
}

// state are our hooks, and Codex's settings.
func (c Codex) state() (found []settings.Placed, root map[string]any, err error) {
	hooks, err := settings.Read(c.hooksPath())
	if err != nil {
		return nil, nil, err
	}
	content, err := settings.Read(c.configPath())
	if err != nil {
		return nil, nil, err
	}
	if found, err = c.hooks.Found(hooks); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.hooksPath(), err)
	}
	if root, err = settings.ParseTOML(content, "features", c.server.Path[0], stateOf[0]); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.configPath(), err)
	}
	return found, root, nil
}

// check finds why Codex would pass over our hooks.
func (c Codex) check(s *State) {
	found, root, err := c.state()
	if err != nil {
		s.problem("%v", err)
		return
	}
	if on, set := settings.Lookup(root, "features", "hooks"); set && on == false {
		s.problem("hooks are switched off in %s", c.configPath())
		s.Remedy = "take hooks = false out of [features]"
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
		s.problem("%d of %d hooks are not trusted, and Codex passes over those without a word", untrusted, len(found))
		s.Remedy = "start codex, and trust them when it says that hooks need review, or with /hooks"
	}
}
