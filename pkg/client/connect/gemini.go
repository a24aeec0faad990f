package connect

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// geminiWait is the timeout of hooks in milliseconds.
const geminiWait = 5000

// geminiHooks are the events of Gemini CLI 0.61.0 that we serve, with the tools and the program. It has no event of
// its own for a command that failed, and takes context after a tool only. Its PreCompress comes before each request
// to the model, also where nothing is compressed, so that it says nothing.
var geminiHooks = []struct{ event, matcher, program string }{
	{"SessionStart", "", "session-start"},
	{"BeforeAgent", "", "user-prompt-submit"},
	{"AfterTool", "", "post-tool-use"},
	{"AfterTool", "^run_shell_command$", "post-tool-use-failure"},
	{"AfterTool", "^(read_file|replace|write_file)$", "pre-tool-use"},
	{"AfterAgent", "", "stop"},
	{"SessionEnd", "", "session-end"},
}

func geminiClient(env Env) Client {
	dir := filepath.Join(cmp.Or(env.Getenv("GEMINI_CLI_HOME"), home(env)), ".gemini")
	hooks := hooksFile{isOurs: isCallFor(client.Gemini)}
	for _, h := range geminiHooks {
		hooks.wanted = append(hooks.wanted, registration{h.event, h.matcher, call(env, h.program, client.Gemini), geminiWait})
	}
	server := jsonEntry{in: "mcpServers", name: client.Server, value: stdioServer(env), isOurs: isOurServer}
	settings := filepath.Join(dir, "settings.json")
	return Client{
		Name: client.Gemini, Title: "Gemini CLI", program: "gemini", dir: dir, transcripts: filepath.Join(dir, "tmp"), env: env,
		files: []file{{settings, parts{hooks, server}}},
		check: func(s *State) { checkGemini(s, settings, hooks) },
	}
}

// checkGemini finds why Gemini CLI would pass over our hooks or our server.
func checkGemini(s *State, settings string, hooks hooksFile) {
	content, err := readFile(settings)
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
		s.problem("%s: %v", settings, err)
		return
	}
	allowed, excluded := config.MCP.Allowed, config.MCP.Excluded
	if allowed != nil && !slices.Contains(allowed, client.Server) || slices.Contains(excluded, client.Server) {
		s.problem("the MCP server is switched off in %s", settings)
		s.Remedy = "allow " + client.Server + " in mcp.allowed and mcp.excluded there"
	}
	if on := config.HooksConfig.Enabled; on != nil && !*on {
		s.problem("hooks are switched off in %s", settings)
		s.Remedy = "take enabled: false out of hooksConfig there"
		return
	}
	off := 0
	for _, one := range hooks.wanted {
		if slices.Contains(config.HooksConfig.Disabled, one.command) {
			off++
		}
	}
	if off > 0 {
		s.problem("%d of %d hooks are switched off", off, len(hooks.wanted))
		s.Remedy = "start gemini, and switch them on with /hooks"
	}
}
