package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func authorCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "author", Usage: "the author that facts are shared under",
		Description: described("It is the setting share.author (Anna <anna@example.org>), or else git's user.name and user.email of the repository.",
			"memory share author"),
		Flags: []cli.Flag{projectFlag(), jsonFlag()}, Action: action(e, onlyShared, showAuthor),
	}
}

// shareAuthor is the author that facts are shared under.
type shareAuthor struct {
	Author string `json:"author"`
	From   string `json:"from"` // share.author or git
}

func showAuthor(ctx context.Context, e *environment, o sharedOptions) error {
	where, err := shareFolderOf(e, o.Dir)
	if err != nil {
		return err
	}
	who, err := where.person(ctx, e)
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, who, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s (by %s)\n", terminal.Printable(who.Author), who.From)
	})
}

// person is the author of the facts that are shared from here.
func (c shareFolder) person(ctx context.Context, e *environment) (shareAuthor, error) {
	name, address, _ := strings.Cut(e.Config.Share.Author, "<")
	if who := importer.Person(name, address); who != "" {
		return shareAuthor{Author: who, From: "share.author"}, nil
	}
	who := importer.Person(c.git(ctx, "config", "user.name"), c.git(ctx, "config", "user.email"))
	if who == "" {
		return shareAuthor{}, fmt.Errorf("nobody is named as the author of shared facts: git config user.name \"Anna\", or %s: %w",
			`memory config set share.author "Anna <anna@example.org>"`, memory.ErrInvalid)
	}
	return shareAuthor{Author: who, From: "git"}, nil
}
