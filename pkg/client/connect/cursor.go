package connect

import (
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// cursorWait is the timeout of hooks in seconds.
const cursorWait = 5

// cursorHooks are the events that we serve, with the tools and the program. Cursor passes over the whole file if it has an
// event that it does not know. Those before a tool, a command or a subagent take no context, and a wrong answer to one of
// them would refuse the call.
var cursorHooks = []struct{ event, matcher, program string }{
	{"sessionStart", "", "session-start"},
	{"beforeSubmitPrompt", "", "user-prompt-submit"},
	{"postToolUse", "", "post-tool-use"},
	{"postToolUse", "^Shell$", "post-tool-use-failure"},
	{"postToolUse", "^(Read|Write)$", "pre-tool-use"},
	{"postToolUseFailure", "^Shell$", "post-tool-use-failure"},
	{"afterFileEdit", "", "post-tool-use"},
	{"subagentStop", "", "post-tool-use"},
	{"afterAgentResponse", "", "stop"},
	{"sessionEnd", "", "session-end"},
}

func cursorClient(env Env) Client {
	dir := filepath.Join(home(env), ".cursor")
	hooks := hooksFile{isOurs: isCallFor(client.Cursor), version: 1}
	for _, h := range cursorHooks {
		hooks.wanted = append(hooks.wanted, registration{h.event, h.matcher, call(env, h.program, client.Cursor), cursorWait})
	}
	server := jsonEntry{in: "mcpServers", name: "surrealdb-memory", value: stdioServer(env), isOurs: isOurServer}
	return Client{
		Name: client.Cursor, Title: "Cursor", program: "cursor", dir: dir, transcripts: filepath.Join(dir, "projects"), env: env,
		files: []file{{filepath.Join(dir, "hooks.json"), hooks}, {filepath.Join(dir, "mcp.json"), server}},
		check: func(*State) {}, // the user's hooks need no trust
	}
}
