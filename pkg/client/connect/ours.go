package connect

import (
	"cmp"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/settings"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/launcher"
)

// hook is an event of a client that we serve, with the tools and our program.
type hook struct{ event, matcher, program string }

// home is the user's.
func home(env Env) string { return cmp.Or(env.Getenv("HOME"), env.Getenv("USERPROFILE")) }

// launcherMark ends the path of the launcher, of whatever home.
const launcherMark = "/clients/run"

func isLauncher(command string) bool { return strings.HasSuffix(command, launcherMark) }

// hooksOf has a client start our programs. Ours are those that any version has written, for whatever home.
func hooksOf(env Env, name string, all []hook, timeout int) settings.Hooks {
	call := " --client " + name
	hooks := settings.Hooks{IsOurs: func(command string) bool {
		return strings.HasSuffix(command, call) && strings.Contains(command, launcherMark+"' ")
	}}
	for _, h := range all {
		hooks.Wanted = append(hooks.Wanted, settings.Hook{
			Event: h.event, Matcher: h.matcher, Command: launcher.Quote(env.Paths.Launcher()) + " " + h.program + call, Timeout: timeout,
		})
	}
	return hooks
}

// server is our MCP server as most clients configure one.
func server(env Env) settings.Entry {
	value := settings.Object{
		{Key: "command", Value: settings.Raw(env.Paths.Launcher())},
		{Key: "args", Value: settings.Raw([]string{"memory-mcp"})},
	}
	return settings.Entry{In: "mcpServers", Name: client.Server, IsOurs: isLauncher, Value: value.Raw()}
}
