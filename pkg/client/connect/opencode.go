package connect

import (
	"bytes"
	"cmp"
	_ "embed" // the plugin
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// opencodePlugin is the plugin, which OpenCode 1.18.33 loads from its folder of plugins. It brings our MCP server into
// the configuration as it runs, so that no file of the user's is edited.
//
//go:embed opencode.js
var opencodePlugin []byte

func opencodeClient(env Env) Client {
	dir := filepath.Join(cmp.Or(env.Getenv("XDG_CONFIG_HOME"), filepath.Join(home(env), ".config")), "opencode")
	data := filepath.Join(cmp.Or(env.Getenv("XDG_DATA_HOME"), filepath.Join(home(env), ".local", "share")), "opencode")
	plugin := bytes.Replace(opencodePlugin, []byte("= LAUNCHER\n"), append(append([]byte("= "), rawOf(env.Paths.Launcher())...), '\n'), 1)
	return Client{
		Name: client.OpenCode, Title: "OpenCode", program: "opencode", dir: dir, transcripts: data, env: env,
		files: []file{{filepath.Join(dir, "plugins", "surrealdb-memory.js"), wholeFile{plugin}}},
		check: func(*State) {}, // a plugin in the folder is loaded always
	}
}
