package connect

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// copilotWait is the timeout of hooks in seconds.
const copilotWait = 5

// copilotHooks are the events of Copilot CLI 1.0.102 that we serve, under Claude Code's names: it has its own, and
// another shape of input for these. A command that failed is an event of the same name as one that did not, so two
// programs look at each.
var copilotHooks = []struct{ event, program string }{
	{"SessionStart", "session-start"},
	{"UserPromptSubmit", "user-prompt-submit"},
	{"PreToolUse", "pre-tool-use"},
	{"PostToolUse", "post-tool-use"},
	{"PostToolUse", "post-tool-use-failure"},
	{"SubagentStart", "subagent-start"},
	{"SubagentStop", "subagent-stop"},
	{"Stop", "stop"},
	{"SessionEnd", "session-end"},
}

func copilotClient(env Env) Client {
	dir := cmp.Or(env.Getenv("COPILOT_HOME"), filepath.Join(home(env), ".copilot"))
	server := jsonEntry{in: "mcpServers", name: client.Server, isOurs: isOurServer, value: object{
		{"type", rawOf("local")}, {"command", rawOf(env.Paths.Launcher())}, {"args", rawOf([]string{"memory-mcp"})}, {"tools", rawOf([]string{"*"})},
	}.raw()}
	return Client{
		Name: client.Copilot, Title: "Copilot CLI", program: "copilot", dir: dir, transcripts: filepath.Join(dir, "session-state"), env: env,
		files: []file{
			{filepath.Join(dir, "hooks", "surrealdb-memory.json"), wholeFile{copilotHooksFile(env)}},
			{filepath.Join(dir, "mcp-config.json"), server},
		},
		check: func(s *State) { checkCopilot(s, filepath.Join(dir, "settings.json")) },
	}
}

func copilotHooksFile(env Env) []byte {
	var events object
	for _, h := range copilotHooks {
		var handlers []json.RawMessage
		_ = json.Unmarshal(events.get(h.event), &handlers) // there are none yet, or those from here
		one := object{{"type", rawOf("command")}, {"command", rawOf(call(env, h.program, client.Copilot))}, {"timeout", rawOf(copilotWait)}}
		events = events.with(h.event, rawOf(append(handlers, one.raw())))
	}
	page, err := object{{"version", rawOf(1)}, {"hooks", events.raw()}}.page()
	if err != nil { // it was made here
		return nil
	}
	return page
}

// checkCopilot finds why Copilot CLI would pass over our hooks or our server.
func checkCopilot(s *State, settings string) {
	content, err := readFile(settings)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		s.problem("%v", err)
		return
	}
	root, err := parseObject(content)
	if err != nil {
		return // with comments, which it may have: nobody changes it
	}
	if string(root.get("disableAllHooks")) == "true" {
		s.problem("hooks are switched off in %s", settings)
		s.Remedy = "copilot config disableAllHooks false"
	}
}
