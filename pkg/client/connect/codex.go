package connect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// The timeouts of hooks in seconds; for a session's end Codex allows 3.
const (
	codexWait    = 5
	codexEndWait = 3
)

// codexHooks are the events of Codex 0.169.0 that we serve, with the tools and the program. It has no event of its
// own for a command that failed, so two programs look at each.
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

func codexClient(env Env) Client {
	dir := codexDir(env)
	hooks := hooksFile{isOurs: isCallFor(client.Codex)}
	for _, h := range codexHooks {
		wait := codexWait
		if h.event == "SessionEnd" {
			wait = codexEndWait
		}
		hooks.wanted = append(hooks.wanted, registration{h.event, h.matcher, call(env, h.program, client.Codex), wait})
	}
	server := tomlTable{
		path: []string{"mcp_servers", client.Server},
		body: fmt.Sprintf("command = %s\nargs = [\"memory-mcp\"]\n", tomlText(env.Paths.Launcher())),
		isOurs: func(table map[string]any) bool {
			command, _ := table["command"].(string)
			return isLauncher(command)
		},
	}
	c := codexConfig{dir: dir, hooks: hooks, server: server}
	return Client{
		Name: client.Codex, Title: "Codex CLI", program: "codex", dir: dir, transcripts: filepath.Join(dir, "sessions"), env: env, check: c.check,
		trust: "Codex passes over hooks that you have not trusted, without a word: start codex, and trust them when it says that hooks need review, or with /hooks",
		files: []file{{c.hooksPath(), hooks}, {c.configPath(), c}},
	}
}

// codexDir is where Codex keeps its configuration.
func codexDir(env Env) string {
	if dir := env.Getenv("CODEX_HOME"); dir != "" {
		if real, err := filepath.EvalSymlinks(dir); err == nil { // as Codex does with it
			return real
		}
		return dir
	}
	return filepath.Join(home(env), ".codex")
}

// codexConfig is Codex's configuration: hooks.json, and config.toml with MCP servers, features and trust. Our part of
// the latter is the server, and goes with the trust in our hooks.
type codexConfig struct {
	dir    string
	hooks  hooksFile
	server tomlTable
}

func (c codexConfig) hooksPath() string  { return filepath.Join(c.dir, "hooks.json") }
func (c codexConfig) configPath() string { return filepath.Join(c.dir, "config.toml") }

// stateOf is the table in which Codex keeps which hooks its user trusts.
var stateOf = []string{"hooks", "state"}

func (c codexConfig) add(content []byte) ([]byte, error) { return c.server.add(content) }
func (c codexConfig) has(content []byte) (bool, error)   { return c.server.has(content) }

func (c codexConfig) remove(content []byte) ([]byte, error) {
	content, err := c.server.remove(content)
	if err != nil {
		return nil, err
	}
	hooks, err := readFile(c.hooksPath())
	if err != nil {
		return content, nil //nolint:nilerr // then there is none of ours that was trusted
	}
	found, err := c.hooks.found(hooks)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, one := range found {
		keys = append(keys, c.key(one))
	}
	left, err := withoutTables(content, func(name []string) bool {
		return len(name) == 3 && hasPrefix(name, stateOf) && slices.Contains(keys, name[2])
	})
	if err != nil || len(left) == len(content) {
		return left, err
	}
	root, err := parseTOML(left)
	if err != nil {
		return nil, err
	}
	if state, _ := lookup(root, stateOf); state != nil && len(state.(map[string]any)) == 0 {
		return withoutTables(left, func(name []string) bool { return slices.Equal(name, stateOf) })
	}
	return left, nil
}

// key is Codex's name for a hook.
func (c codexConfig) key(one placed) string {
	return fmt.Sprintf("%s:%s:%d:%d", c.hooksPath(), snake(one.event), one.group, one.handler)
}

// hash is the hash by which Codex 0.169.0 recognises a trusted hook.
func hash(one placed) string {
	identity := object{{"event_name", rawOf(snake(one.event))}, {"hooks", rawOf([]json.RawMessage{object{
		{"async", rawOf(false)}, {"command", rawOf(one.command)}, {"timeout", rawOf(one.timeout)}, {"type", rawOf("command")},
	}.raw()})}}
	if one.matcher != "" {
		identity = identity.with("matcher", rawOf(one.matcher))
	}
	digest := sha256.Sum256(identity.raw())
	return "sha256:" + hex.EncodeToString(digest[:])
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

// check finds why Codex would pass over our hooks.
func (c codexConfig) check(s *State) {
	hooks, err := readFile(c.hooksPath())
	if err != nil {
		s.problem("%v", err)
		return
	}
	content, err := readFile(c.configPath())
	if err != nil {
		s.problem("%v", err)
		return
	}
	found, err := c.hooks.found(hooks)
	if err != nil {
		s.problem("%s: %v", c.hooksPath(), err)
		return
	}
	root, err := parseTOML(content)
	if err != nil {
		s.problem("%s: %v", c.configPath(), err)
		return
	}
	if on, set := lookup(root, []string{"features", "hooks"}); set && on == false {
		s.problem("hooks are switched off in %s", c.configPath())
		s.Remedy = "take hooks = false out of [features]"
		return
	}
	if on, set := lookup(root, append(slices.Clone(c.server.path), "enabled")); set && on == false {
		s.problem("the MCP server is switched off in %s", c.configPath())
	}
	untrusted, off := 0, 0
	for _, one := range found {
		trusted, _ := lookup(root, append(slices.Clone(stateOf), c.key(one), "trusted_hash"))
		enabled, set := lookup(root, append(slices.Clone(stateOf), c.key(one), "enabled"))
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

// tomlText writes a text as a basic string.
func tomlText(s string) string {
	return string(rawOf(s)) // JSON's escapes are TOML's
}
