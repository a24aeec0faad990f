package connect

import (
	"cmp"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/launcher"
)

// call is the command by which a client's hook starts one of our programs.
func call(env Env, program, client string) string {
	return launcher.Quote(env.Paths.Launcher()) + " " + program + " --client " + client
}

// isCallFor tells a command that we have written for a client, of whatever version and home.
func isCallFor(client string) func(command string) bool {
	return func(command string) bool {
		return strings.HasSuffix(command, " --client "+client) && strings.Contains(command, "/clients/run' ")
	}
}

func isLauncher(command string) bool { return strings.HasSuffix(command, "/clients/run") }

// home is the user's.
func home(env Env) string { return cmp.Or(env.Getenv("HOME"), env.Getenv("USERPROFILE")) }
