package cli

import "github.com/urfave/cli/v2"

func engineCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "engine", Usage: "install the embedded database engine",
		Subcommands: []*cli.Command{{
			Name: "install", Usage: "install the embedded engine, if this machine needs it",
			Description: described("It downloads 10 MB (71 MB in a checkout) once, and takes 25 MB (200 MB) in $MEMORY_HOME/engine (MEMORY_ENGINE_DIR names another folder). All versions of the plugin share it. If there is no Node.js, it downloads that, too: 30 to 52 MB, 77 to 125 MB on disk.",
				"memory setup engine install"),
			Action: func(c *cli.Context) error { return e.Daemon.Memoryd(c.Context, "--install-engine") },
		}},
	}
}
