package connect

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/settings"
)

// checkGemini finds why Gemini CLI would pass over our hooks or our server.
func checkGemini(s *State, path string, hooks settings.Hooks) {
	content, err := settings.Read(path)
	if err != nil {
		s.problem("%v", err)
		return
	}
	var config struct {
		HooksConfig struct {
			Enabled  *bool    `json:"enabled"`
			Disabled []string `json:"disabled"`
		} `json:"hooksConfig"`
		MCP struct {
			Allowed  []string `json:"allowed"`
			Excluded []string `json:"excluded"`
		} `json:"mcp"`
	}
	if err := json.Unmarshal(content, &config); err != nil {
		s.problem("%s: %v", path, err)
		return
	}
	allowed, excluded := config.MCP.Allowed, config.MCP.Excluded
	if allowed != nil && !slices.Contains(allowed, client.Server) || slices.Contains(excluded, client.Server) {
		s.problem("the MCP server is switched off in %s", path)
		s.Remedy = "allow " + client.Server + " in mcp.allowed and mcp.excluded there"
	}
	if on := config.HooksConfig.Enabled; on != nil && !*on {
		s.problem("hooks are switched off in %s", path)
		s.Remedy = "take enabled: false out of hooksConfig there"
		return
	}
	off := 0
	for _, one := range hooks.Wanted {
		if slices.Contains(config.HooksConfig.Disabled, one.Command) {
			off++
		}
	}
	if off > 0 {
		s.problem("%d of %d hooks are switched off", off, len(hooks.Wanted))
		s.Remedy = "start gemini, and switch them on with /hooks"
	}
}

// checkCopilot finds why Copilot CLI would pass over our hooks or our server.
func checkCopilot(s *State, path string) {
	content, err := settings.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		s.problem("%v", err)
		return
	}
	var config struct {
		DisableAllHooks bool `json:"disableAllHooks"`
	}
	// With comments, which it may have, nothing is known: nobody changes it.
	if json.Unmarshal(content, &config) == nil && config.DisableAllHooks {
		s.problem("hooks are switched off in %s", path)
		s.Remedy = "copilot config disableAllHooks false"
	}
}
