package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func purgeCommand(e *environment) *cli.Command {
	return &cli.Command{
		Subcommands: []*cli.Command{secretsCommand(e)},
		Name:        "purge", Usage: "delete words, memories, a session or a project for good", ArgsUsage: "[ID...]",
		Description: described("It asks first. Words, memories and sessions are deleted from the store, the journal, the backups, the waiting events and the logs, and are "+
			"not stored again. Exports, and backups that you copied elsewhere, are not searched. Transcripts that have the text are listed; delete them yourself.",
			"memory purge --words \"Zora Lindqvist\"", "memory purge 3604d8", "memory purge --session 8f14e45f", "memory purge --project ~/src/old"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "words", Usage: "everything that contains `WORDS`, in upper or lower case, with or without accents"},
			&cli.StringFlag{Name: "session", Usage: "the session `ID`, and the memories that only this session stated"},
			&cli.StringFlag{Name: "project", Usage: "everything of `PROJECT`, given by its directory, key or name"},
			&cli.BoolFlag{Name: "dry-run", Usage: "count what would be deleted, and change nothing"},
			yesFlag(),
		},
		Action: with(e, purgeData),
	}
}

func secretsCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "secrets", Usage: "remove secrets from stored texts",
		Description: described("It replaces the secrets that it finds in the store, the journal and the backups by a mark, and empties all logs. It asks first. "+
			"It keeps no copy, so this cannot be undone. Exports, copied backups, the encrypted files of memory sync and the client's transcripts stay as they are.",
			"memory purge secrets --dry-run", "memory purge secrets"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "show kinds and counts, and change nothing"},
			yesFlag(),
		},
		Action: with(e, func(c *cli.Context, e *environment) error { return purgeWords(c, e, daemonapi.ScrubParams{}) }),
	}
}

func purgeData(c *cli.Context, e *environment) error {
	params := daemonapi.ScrubParams{Session: undecorated(c.String("session"))}
	var err error
	if params.Memories, err = idsOf(c.Args().Slice()); err != nil {
		return err
	}
	if c.IsSet("words") {
		params.Words = []string{c.String("words")}
	}
	given := 0
	for _, isGiven := range []bool{c.IsSet("project"), c.IsSet("words"), c.IsSet("session"), len(params.Memories) > 0} {
		if isGiven {
			given++
		}
	}
	switch {
	case given != 1:
		return usagef("give exactly one of: IDs of memories, --words WORDS, --session ID, --project PROJECT; memory setup uninstall --data deletes everything")
	case c.Bool("dry-run") && c.IsSet("project"):
		return usagef("--dry-run cannot count a project; memory projects list shows the counts of each project")
	case c.IsSet("project"):
		return purgeProject(c, e)
	}
	err = purgeWords(c, e, params)
	if errors.Is(err, memory.ErrNotFound) {
		err = fmt.Errorf("%w; the commands memory list and memory sessions show what is stored", err)
	}
	return err
}

func purgeProject(c *cli.Context, e *environment) error {
	ctx := c.Context
	one, err := e.Stored(ctx, c.String("project"))
	if err != nil {
		return err
	}
	holding, err := e.Holding(ctx, one.Key)
	if err != nil {
		return err
	}
	question := fmt.Sprintf("This deletes everything of %s for good: %s. Go on?", one.Key, heldCounts(holding))
	if err := e.Confirm(c.Bool("yes"), question); err != nil {
		return err
	}
	result, err := daemonapi.MethodPurgeProject.Ask(ctx, e.Daemon.CallLong, daemonapi.PurgeParams{Key: one.Key})
	if err != nil {
		return err
	}
	left, err := filesIn(e.Paths.Backups())
	aside, errAside := setAside(e)
	if err = errors.Join(err, errAside); err != nil {
		return fmt.Errorf("everything of %s is deleted, but the backups and earlier copies of the store could not be listed: %w. Look there yourself, and delete copies that you do not need", one.Key, err)
	}
	answer := purgedProject{PurgeResult: result, Backups: append(left, aside...)}
	return e.Print(answer, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "deleted from %s: %s, %s\n",
			terminal.Printable(one.Key), heldCounts(result.Holding), memory.Counted(result.Spooled, "waiting event"))
		if n := len(answer.Backups); n > 0 {
			_, _ = fmt.Fprintf(w, "%s may still hold it; delete what you do not need:\n",
				map[bool]string{true: "1 earlier copy", false: fmt.Sprintf("%d earlier copies", n)}[n == 1])
		}
		for _, file := range answer.Backups {
			_, _ = fmt.Fprintf(w, "  %s\n", terminal.Printable(file))
		}
	})
}

// purgedProject has the numbers of deleted rows, and the backups that may still have them.
type purgedProject struct {
	daemonapi.PurgeResult
	Backups []string `json:"backups"`
}
