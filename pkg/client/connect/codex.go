package connect

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/settings"
)

// codexConfig is Codex's configuration: hooks.json, and config.toml with MCP servers, features and trust. Our part of
// the latter is the server, and goes with the trust in our hooks.
type codexConfig struct {
	dir    string
	hooks  settings.Hooks
	server settings.Table
}

func (c codexConfig) hooksPath() string  { return filepath.Join(c.dir, "hooks.json") }
func (c codexConfig) configPath() string { return filepath.Join(c.dir, "config.toml") }

// stateOf is the table in which Codex keeps which hooks its user trusts.
var stateOf = []string{"hooks", "state"}

// Add implements settings.Part.
func (c codexConfig) Add(content []byte) ([]byte, error) { return c.server.Add(content) }

// Has implements settings.Part.
func (c codexConfig) Has(content []byte) (bool, error) { return c.server.Has(content) }

// Remove implements settings.Part.
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
func (c codexConfig) key(one settings.Placed) string {
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
func (c codexConfig) state() (found []settings.Placed, root map[string]any, err error) {
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
func (c codexConfig) check(s *State) {
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
