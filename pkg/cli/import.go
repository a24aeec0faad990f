package cli

import "github.com/urfave/cli/v2"

func importCommand(e *environment) *cli.Command {
	mine := &cli.BoolFlag{Name: "mine", Usage: "the prompts in FOLDER are your own"}
	codex := &cli.BoolFlag{Name: "codex", Usage: "Codex's sessions instead of Claude Code's"}
	again := &cli.BoolFlag{Name: "again", Usage: "also sessions that hooks have captured"}
	return &cli.Command{
		Name: "import", Usage: "import past sessions, CLAUDE.md files, the client's own memory, or an export",
		Subcommands: []*cli.Command{
			command("auto-memory", "import Claude Code's own memory folders: all, or the named ones", "[FOLDER...]",
				"memory import auto-memory", importing(e, importAutoMemory)),
			{
				Name: "claude-md", Usage: "import CLAUDE.md files as pinned conventions", ArgsUsage: "FILE...",
				Description: described("The one in the directory of the client holds for all projects.", "memory import claude-md CLAUDE.md"),
				Action:      importing(e, importClaudeMD),
			},
			command("transcripts", "import past sessions from the client's transcripts; can be interrupted", "[FOLDER]",
				"memory import transcripts --codex", importing(e, importTranscripts), codex, again, mine),
			{
				Name: "export", Usage: "import a file of memory export that you made yourself", ArgsUsage: "FILE",
				Description: described("Anybody can write such a file, and what it says that you said counts as your words: import none of somebody else.", "memory import export ~/memories.jsonl"),
				Action:      importing(e, importExport),
			},
		},
	}
}
