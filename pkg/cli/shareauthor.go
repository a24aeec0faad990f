package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
)

func authorCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "author", Usage: "the author that facts are shared under",
		Description: described("It is the setting share.author (Anna <anna@example.org>), or else git's user.name and user.email of the repository.",
			"memory share author"),
		Flags: []cli.Flag{projectFlag(), jsonFlag()}, Action: action(e, onlyShared, showAuthor),
	}
}

func showAuthor(ctx context.Context, e *environment, o sharedOptions) error {
	_, who, err := sharing(ctx, e, o.Dir)
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, who, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s (by %s)\n", terminal.Printable(who.Author), who.From)
	})
}
