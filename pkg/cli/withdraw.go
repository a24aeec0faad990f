package cli

import (
	"context"
	"fmt"
	"io"
	"path"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func withdrawCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "withdraw", Usage: "withdraw memories that are shared through the repository", ArgsUsage: "ID...",
		Description: described("It removes their files; commit and push that. Your own memories stay; the others have theirs archived with their next session.",
			"memory share withdraw 3f9a1c", "memory share withdraw --others 3f9a1c"),
		BashComplete: e.Complete(e.IDs(memory.StatusActive, true), nil),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "others", Usage: "remove files of other authors, too"}, projectFlag(), jsonFlag(),
		},
		Action: action(e, withdrawOptionsOf, withdrawFacts),
	}
}

// withdrawOptions name the memories.
type withdrawOptions struct {
	sharedOptions
	ids    []string
	others bool // files of other authors, too
}

func withdrawOptionsOf(c *cli.Context) (o withdrawOptions, err error) {
	o.sharedOptions, o.ids, o.others = sharedOptionsOf(c), c.Args().Slice(), c.Bool("others")
	if len(o.ids) == 0 {
		return o, usagef("withdraw which memory? give its id")
	}
	return o, checkIDs(o.ids)
}

// withdrawReport is the answer of withdraw.
type withdrawReport struct {
	Removed []string `json:"removed"` // files, relative to the root
}

func withdrawFacts(ctx context.Context, e *environment, o withdrawOptions) error {
	where, who, err := sharing(ctx, e, o.Dir)
	if err != nil {
		return err
	}
	found, err := where.memories(ctx, e, o.ids)
	if err != nil {
		return err
	}
	var files []importer.SharedFile
	for _, m := range found {
		shared := where.of(m.Content)
		if len(shared) == 0 {
			return fmt.Errorf(
				"memory %s is not shared in this checkout's %s, and nothing was withdrawn; memory share %[1]s shares it: %[3]w",
				memory.ShortID(m.ID), importer.SharedFolder, memory.ErrNotFound)
		}
		for _, file := range shared {
			if file.Fact.Author != who.Author && !o.others {
				return fmt.Errorf("%s is shared by %s, and nothing was withdrawn: --others removes it, too: %w",
					path.Join(importer.SharedFolder, file.Name), terminal.Printable(file.Fact.Author), memory.ErrInvalid)
			}
		}
		files = append(files, shared...)
	}
	if err := where.remove(files); err != nil {
		return err
	}
	report := withdrawReport{Removed: []string{}}
	for _, file := range files {
		report.Removed = append(report.Removed, path.Join(importer.SharedFolder, file.Name))
	}
	return e.Print(ctx, o.JSON, report, func(w io.Writer) {
		for _, file := range report.Removed {
			_, _ = fmt.Fprintf(w, "removed %s\n", terminal.Printable(file))
		}
		_, _ = fmt.Fprintf(w,
			"The others lose it when that is committed (git add --all %s && git commit) and pushed\n", importer.SharedFolder)
	})
}
