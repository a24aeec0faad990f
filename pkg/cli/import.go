package cli

import (
	"github.com/urfave/cli/v2"
)

// importCommand makes memory import.
func importCommand(e *environment) *cli.Command {
	mine := &cli.BoolFlag{Name: "mine", Usage: "it is your own: its statements of yours count as your words"}
	codex := &cli.BoolFlag{Name: "codex", Usage: "those of Codex instead of Claude Code's"}
	again := &cli.BoolFlag{Name: "again", Usage: "also sessions that were imported before, or that hooks have captured"}
	return &cli.Command{
		Name: "import", Usage: "import past sessions, or an export",
		Subcommands: []*cli.Command{
			{
				Name: "transcripts", Usage: "past sessions, from the client's transcripts; may be interrupted", ArgsUsage: "[FOLDER]",
				Description: described("", "memory import transcripts", "memory import transcripts --codex"),
				Flags:       []cli.Flag{codex, again, mine, jsonFlag()},
				Action:      action(e, importOptionsOf(0, 1, "name one folder, or none for the usual one"), importTranscripts),
			},
			{
				Name: "export", Usage: "a file that memory export made", ArgsUsage: "FILE",
				Description: described("Anybody can write such a file, so its memories count as imported, whatever source it gives, and memories for all projects are left out. For an export of your own, --mine keeps all as it was.",
					"memory import export --mine memories.jsonl", "memory import export from-a-colleague.jsonl"),
				Flags:  []cli.Flag{mine, jsonFlag()},
				Action: action(e, importOptionsOf(1, 1, "import which export? name one file"), importExport),
			},
		},
	}
}
