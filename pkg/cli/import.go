package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

func importCommand(e *environment) *cli.Command {
	mine := &cli.BoolFlag{Name: "mine", Usage: "take the prompts in FOLDER as typed by you; needed if it is not the folder of Claude Code or Codex"}
	codex := &cli.BoolFlag{Name: "codex", Usage: "Codex's sessions instead of Claude Code's"}
	again := &cli.BoolFlag{Name: "again", Usage: "import sessions again that were captured while they ran"}
	return &cli.Command{
		Name: "import", Usage: "import past sessions, CLAUDE.md files, Claude Code's own memory, or an export",
		Subcommands: []*cli.Command{
			command("auto-memory", "import folders of Claude Code's own memory into the project", "FOLDER...",
				"memory import auto-memory ~/.claude/projects/-home-ann-shop/memory", with(e, importAutoMemory)),
			{
				Name: "claude-md", Usage: "import CLAUDE.md files as pinned conventions", ArgsUsage: "FILE...",
				Description: described("The lines of ~/.claude/CLAUDE.md are imported for all projects, those of another CLAUDE.md for its own project.", "memory import claude-md CLAUDE.md"),
				Action:      with(e, importClaudeMD),
			},
			command("transcripts", "import past sessions from the transcripts of Claude Code or Codex; can be interrupted", "[FOLDER]",
				"memory import transcripts --codex", with(e, func(c *cli.Context, e *environment) error {
					return importTranscripts(c.Context, e, transcriptSource{c.Args().First(), c.Bool("codex"), c.Bool("again"), c.Bool("mine")})
				}), codex, again, mine),
			{
				Name: "export", Usage: "import a file that you wrote with memory export", ArgsUsage: "FILE",
				Description: described("Everything that the file marks as your words will count as yours: do not import a file that somebody else wrote.", "memory import export ~/memories.jsonl"),
				Action:      with(e, importExport),
			},
		},
	}
}

func importAutoMemory(c *cli.Context, e *environment) error {
	where, err := importedTo(e, cmp.Or(e.Dir, e.here()))
	if err != nil {
		return err
	}
	var report importReport
	var events []memory.Event
	for _, folder := range c.Args().Slice() {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("there is no folder %s: name a folder that has a MEMORY.md: %w", folder, memory.ErrNotFound)
		}
		found, unread, err := importer.AutoMemory(folder, where)
		if err != nil {
			return err
		}
		if len(found)+len(unread) == 0 {
			return fmt.Errorf("%s has no memory files (*.md) of Claude Code: %w", folder, memory.ErrNotFound)
		}
		report.Unread = append(report.Unread, unread...)
		events = append(events, found...)
	}
	return carryEvents(c.Context, e, report, events)
}

func importClaudeMD(c *cli.Context, e *environment) error {
	var events []memory.Event
	for _, file := range c.Args().Slice() {
		isUsers := project.Resolved(filepath.Dir(file)) == project.Resolved(e.ClientDir()) && !e.InModelsShell() && mayBeMine(e, file) == nil
		where := memory.Project{}
		if !isUsers {
			var err error
			if where, err = importedTo(e, cmp.Or(e.Dir, filepath.Dir(file))); err != nil {
				return err
			}
		}
		found, err := importer.ClaudeMD(file, where, isUsers)
		if err != nil {
			return err
		}
		events = append(events, found...)
	}
	return carryEvents(c.Context, e, importReport{}, events)
}
