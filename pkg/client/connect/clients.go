package connect

import (
	"bytes"
	"cmp"
	_ "embed" // the plugin
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/settings"
)

// All are the clients that can be connected.
func All(env Env) []Client {
	all := []Client{codexClient(env), geminiClient(env), copilotClient(env), opencodeClient(env)}
	for i := range all {
		all[i].Title = client.Title(all[i].Name)
	}
	return all
}

// Named finds a client.
func Named(env Env, name string) (Client, bool) {
	for _, c := range All(env) {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// codexHooks are the events of Codex 0.169.0 that we serve. It has no event of its own for a command that failed, so
// two programs look at each. Timeouts are in seconds; for a session's end it allows 3.
var codexHooks = []hook{
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
	dir := cmp.Or(env.Getenv("CODEX_HOME"), filepath.Join(home(env), ".codex"))
	if real, err := filepath.EvalSymlinks(dir); err == nil && env.Getenv("CODEX_HOME") != "" { // as Codex does with it
		dir = real
	}
	hooks := hooksOf(env, client.Codex, codexHooks, 5)
	hooks.Wanted[len(hooks.Wanted)-1].Timeout = 3
	c := codexConfig{dir: dir, hooks: hooks, server: settings.Table{
		Path: []string{"mcp_servers", client.Server}, IsOurs: isLauncher,
		Body: "command = " + string(settings.Raw(env.Paths.Launcher())) + "\nargs = [\"memory-mcp\"]\n", // JSON's escapes are TOML's
	}}
	return Client{
		Name: client.Codex, program: "codex", dir: dir, transcripts: filepath.Join(dir, "sessions"), env: env, check: c.check,
		trust: "Codex passes over hooks that you have not trusted, without a word: start codex, and trust them when it says that hooks need review, or with /hooks",
		files: []file{{c.hooksPath(), hooks}, {c.configPath(), c}},
	}
}

// geminiHooks are the supported events of Gemini CLI 0.61.0. It has no separate event for a failed command, and accepts
// context after a tool only. Its PreCompress comes before each request to the model, even without a compression, so it
// is of no use. Timeouts are in milliseconds.
var geminiHooks = []hook{
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
	hooks, path := hooksOf(env, client.Gemini, geminiHooks, 5000), filepath.Join(dir, "settings.json")
	return Client{
		Name: client.Gemini, program: "gemini", dir: dir, transcripts: filepath.Join(dir, "tmp"), env: env,
		files: []file{{path, settings.Parts{hooks, server(env)}}},
		check: func(s *State) { checkGemini(s, path, hooks) },
	}
}

// copilotHooks are the events of Copilot CLI 1.0.102 that we serve, under Claude Code's names: it has its own, and
// another shape of input for these. A command that failed is an event of the same name as one that did not, so two
// programs look at each. Timeouts are in seconds.
var copilotHooks = []hook{
	{"SessionStart", "", "session-start"},
	{"UserPromptSubmit", "", "user-prompt-submit"},
	{"PreToolUse", "", "pre-tool-use"},
	{"PostToolUse", "", "post-tool-use"},
	{"PostToolUse", "", "post-tool-use-failure"},
	{"SubagentStart", "", "subagent-start"},
	{"SubagentStop", "", "subagent-stop"},
	{"Stop", "", "stop"},
	{"SessionEnd", "", "session-end"},
}

func copilotClient(env Env) Client {
	dir := cmp.Or(env.Getenv("COPILOT_HOME"), filepath.Join(home(env), ".copilot"))
	hooks := hooksOf(env, client.Copilot, copilotHooks, 5)
	hooks.Version, hooks.IsTyped = 1, true
	page, _ := hooks.Add(nil) // an empty file is understood
	mcp := server(env)
	mcp.Value = settings.Object{
		{Key: "type", Value: settings.Raw("local")},
		{Key: "command", Value: settings.Raw(env.Paths.Launcher())},
		{Key: "args", Value: settings.Raw([]string{"memory-mcp"})},
		{Key: "tools", Value: settings.Raw([]string{"*"})},
	}.Raw()
	return Client{
		Name: client.Copilot, program: "copilot", dir: dir, transcripts: filepath.Join(dir, "session-state"), env: env,
		files: []file{
			{filepath.Join(dir, "hooks", "surrealdb-memory.json"), settings.Whole{Content: page, Mark: launcherMark}},
			{filepath.Join(dir, "mcp-config.json"), mcp},
		},
		check: func(s *State) { checkCopilot(s, filepath.Join(dir, "settings.json")) },
	}
}

// opencodePlugin is the plugin, which OpenCode 1.18.33 loads from its folder of plugins. It brings our MCP server into
// the configuration as it runs, so that no file of the user's is edited.
//
//go:embed opencode.js
var opencodePlugin []byte

func opencodeClient(env Env) Client {
	dir := filepath.Join(cmp.Or(env.Getenv("XDG_CONFIG_HOME"), filepath.Join(home(env), ".config")), "opencode")
	data := filepath.Join(cmp.Or(env.Getenv("XDG_DATA_HOME"), filepath.Join(home(env), ".local", "share")), "opencode")
	plugin := bytes.Replace(opencodePlugin, []byte("= LAUNCHER\n"),
		append(append([]byte("= "), settings.Raw(env.Paths.Launcher())...), '\n'), 1)
	return Client{
		Name: client.OpenCode, program: "opencode", dir: dir, transcripts: data, env: env,
		files: []file{{filepath.Join(dir, "plugins", "surrealdb-memory.js"), settings.Whole{Content: plugin, Mark: launcherMark}}},
	}
}
