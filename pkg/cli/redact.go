package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func secretsCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "secrets", Usage: "remove secrets from stored texts",
		Description: described("Secrets that the rules find in the store, the journal and the backups are replaced, and all logs are emptied. "+
			"It cannot be undone: no copy of a removed secret remains. It asks once. --dry-run shows kinds and counts and changes nothing.",
			"memory purge secrets --dry-run", "memory purge secrets"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "show kinds and counts, and change nothing"},
			yesFlag(),
		},
		Action: with(e, scrubSecrets),
	}
}

func scrubSecrets(c *cli.Context, e *environment) error {
	dry := c.Bool("dry-run")
	if !dry {
		question := "Secrets in the store, the journal and the backups are replaced for good, and all logs are emptied; this cannot be undone (--dry-run shows what there is). Go on?"
		if err := e.Confirm(c.Bool("yes"), question); err != nil {
			return err
		}
	}
	result, err := daemonapi.MethodScrub.Ask(c.Context, e.Daemon.CallLong, daemonapi.ScrubParams{Apply: !dry})
	if err != nil {
		return err
	}
	if err := e.Print(result, func(w io.Writer) { scrubPage(w, result, dry) }); err != nil {
		return err
	}
	if n := len(result.Failed); n > 0 {
		return fmt.Errorf("%s could not be read and may still hold secrets: delete what you do not need: %s",
			terminal.Counted(n, "file"), terminal.Printable(result.Failed[0]))
	}
	return nil
}

func scrubPage(w io.Writer, r daemonapi.ScrubResult, dry bool) {
	done := "replaced"
	if dry {
		done = "found"
	} else {
		_, _ = fmt.Fprintln(w, "all logs were emptied")
	}
	if len(r.Kinds) == 0 {
		_, _ = fmt.Fprintln(w, "the rules find no secrets")
		return
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
		_, _ = fmt.Fprintf(w, "%s: %d %s\n", kind, r.Kinds[kind], done)
	}
	for _, table := range slices.Sorted(maps.Keys(r.Rows)) {
		_, _ = fmt.Fprintf(w, "in the table %s: %s\n", table, terminal.Counted(r.Rows[table], "row"))
	}
	_, _ = fmt.Fprintf(w, "in the journal: %s\n", terminal.Counted(r.Journal.Records, "record"))
	if r.Journal.Lost > 0 {
		_, _ = fmt.Fprintf(w, "the journal has %s that cannot be read and may hold secrets: %s\n",
			terminal.Counted(r.Journal.Lost, "line"), map[bool]string{true: "to be removed", false: "removed"}[dry])
	}
	for _, one := range r.Backups {
		_, _ = fmt.Fprintf(w, "in the backup %s: %s\n", terminal.Printable(one.File), terminal.Counted(one.Rows, "row"))
	}
	if dry {
		_, _ = fmt.Fprintln(w, "nothing is changed: run it without --dry-run")
	}
}
