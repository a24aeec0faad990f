package cli

import (
	"context"
	"fmt"
	"iter"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
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
				Name: "export", Usage: "import a file of memory export that you made yourself", ArgsUsage: "FILE",
				Description: described("Anybody can write such a file, and what it says that you said counts as your words: import none of somebody else.", "memory import export ~/memories.jsonl"),
				Action:      with(e, importExport),
			},
		},
	}
}

// carry imports a source and prints the report.
func carry(ctx context.Context, e *environment, r importReport, source iter.Seq2[memory.Event, error]) error {
	writer, err := importWriter(ctx, e)
	if err != nil {
		return err
	}
	err = writer.WriteAll(ctx, source)
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted; the same command continues, and stores nothing twice: %w", ctx.Err())
	}
	if err != nil {
		return err
	}
	r.Report = writer.Report()
	return printImported(ctx, e, r)
}

// carryEvents imports events that are already in memory.
func carryEvents(ctx context.Context, e *environment, r importReport, events []memory.Event) error {
	return carry(ctx, e, r, func(yield func(memory.Event, error) bool) {
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
	})
}

// mayBeMine returns an error if a file lies in a repository, so that it cannot be imported as the user's own words. Anybody can
// write a file that claims to have them: so only a person imports one (consent.NeedsPerson), and only if it did not come with a
// repository.
func mayBeMine(e *environment, path string) error {
	root := project.Repository(path)
	if root == "" || root == project.Resolved(e.Getenv("HOME")) {
		return nil
	}
	return fmt.Errorf("%s lies in the git repository %s, so anybody may have written it: copy what is yours out of the repository", path, root)
}
