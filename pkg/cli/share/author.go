package share

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func authorCommand(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "author", Usage: "the author that facts are shared under",
		Description: command.Described("It is the setting share.author (Anna <anna@example.org>), or else git's user.name and user.email of the repository.",
			"memory share author"),
		Flags: []cli.Flag{command.ProjectFlag(), command.JSONFlag()}, Action: command.Action(e, command.OnlyShared, author),
	}
}

// person is the author that facts are shared under.
type person struct {
	Author string `json:"author"`
	From   string `json:"from"` // share.author or git
}

func author(ctx context.Context, e *command.Env, o command.Shared) error {
	where, err := checkoutOf(e, o.Dir)
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
func (c checkout) person(ctx context.Context, e *command.Env) (person, error) {
	name, address, _ := strings.Cut(e.Config.Share.Author, "<")
	if who := importer.Person(name, address); who != "" {
		return person{Author: who, From: "share.author"}, nil
	}
	who := importer.Person(c.git(ctx, "config", "user.name"), c.git(ctx, "config", "user.email"))
	if who == "" {
		return person{}, fmt.Errorf("nobody is named as the author of shared facts: git config user.name \"Anna\", or %s: %w",
			`memory config set share.author "Anna <anna@example.org>"`, memory.ErrInvalid)
	}
	return person{Author: who, From: "git"}, nil
}
