package cli

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
)

// moveCommand makes memory share move.
func moveCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "move", Usage: "copy the store to a server, or to this machine, and use that from then on",
		Description: described("Every row is compared before the switch, and the old store stays as it was: moving back undoes it. A store with other rows is never overwritten. Sign in by SURREAL_USER and SURREAL_PASS, or the settings store.user and store.pass.",
			"memory share move --to wss://memory.example.org", "memory share move --to embedded"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "`URL` of a SurrealDB, or embedded"},
			&cli.StringFlag{Name: "namespace", Usage: "the `NAMESPACE` there", DefaultText: "that of the store in use"},
			&cli.StringFlag{Name: "database", Usage: "the `DATABASE` there", DefaultText: "that of the store in use"},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask first"},
		},
		Action: action(e, moveOptionsOf, moveHome),
	}
}

// moveOptions name the new place of the store.
type moveOptions struct {
	to, namespace, database string
	yes                     bool // do not ask first
}

func moveOptionsOf(c *cli.Context) (moveOptions, error) {
	o := moveOptions{c.String("to"), c.String("namespace"), c.String("database"), c.Bool("yes")}
	if c.Args().Present() || o.to == "" {
		return o, usagef("move the store where? give --to URL, or --to embedded for this machine")
	}
	return o, nil
}

func moveHome(ctx context.Context, e *environment, o moveOptions) error {
	question := fmt.Sprintf("Everything that is stored is copied to %s, and that store is used from then on. The present one is kept. Go on?", terminal.Printable(o.to))
	if err := e.Confirm(o.yes, question); err != nil {
		return err
	}
	arguments := []string{"move"}
	if o.namespace != "" {
		arguments = append(arguments, "--namespace", o.namespace)
	}
	if o.database != "" {
		arguments = append(arguments, "--database", o.database)
	}
	return e.Agent.Memoryd(ctx, append(arguments, "--", o.to)...)
}
