package cli

import (
	"github.com/urfave/cli/v2"
)

func importCommand(e *environment) *cli.Command {
	mine := &cli.BoolFlag{Name: "mine", Usage: "the prompts in FOLDER are your own"}
	codex := &cli.BoolFlag{Name: "codex", Usage: "Codex's sessions instead of Claude Code's"}
	again := &cli.BoolFlag{Name: "again", Usage: "also sessions that hooks have captured"}
	return &cli.Command{
		Name: "import", Usage: "import past sessions, CLAUDE.md files, the client's own memory, or an export",
		Subcommands: []*cli.Command{
			command("auto-memory", "import folders of Claude Code's own memory into the project", "FOLDER...",
				"memory import auto-memory ~/.claude/projects/-home-ann-shop/memory", with(e, importAutoMemory)),
			{
				Name: "claude-md", Usage: "import CLAUDE.md files as pinned conventions", ArgsUsage: "FILE...",
				Description: described("The one in the directory of the client holds for all projects.", "memory import claude-md CLAUDE.md"),
				Action:      with(e, importClaudeMD),
			},
			command("transcripts", "import past sessions from the client's transcripts; can be interrupted", "[FOLDER]",
				"memory import transcripts --codex", with(e, func(c *cli.Context, e *environment) error {
					return importTranscripts(c.Context, e, transcriptSource{c.Args().First(), c.Bool("codex"), c.Bool("again"), c.Bool("mine")})
				}), codex, again, mine),
			{
				Name: "export", Usage: "import a file that you wrote with memory export", ArgsUsage: "FILE",
				Description: described("Anybody can write such a file, and what it says that you said counts as your words: do not import somebody else's.", "memory import export ~/memories.jsonl"),
				Action:      with(e, importExport),
			},
		},
	}
}
