package main

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// drift is the answer of the command of that name.
type drift struct {
	Missing []string `json:"missing"`
	Defined bool     `json:"defined"` // it was missing, and is there now
}

// drift compares the database with this version's schema: somebody may have
// removed a table, a field or an index by hand.
func (p *program) drift(c *cli.Context) error {
	definitions, err := schema.Definitions()
	if err != nil {
		return err
	}
	wanted := make([]surreal.Definition, 0, len(definitions))
	for _, d := range definitions {
		wanted = append(wanted, surreal.Definition(d))
	}
	return p.onStore(c, func(ctx context.Context, store migrate.Store, known []migrate.Migration) error {
		pending, err := migrate.Plan(ctx, store, known)
		if err != nil {
			return err
		}
		if len(pending) > 0 {
			return errors.New("the database is not at this version's schema yet: memory-migrate up first")
		}
		database := store.(*surreal.MigrationStore)
		missing, err := database.Missing(ctx, wanted)
		if err != nil {
			return err
		}
		answer := drift{Missing: []string{}}
		for _, d := range missing {
			answer.Missing = append(answer.Missing, d.String())
		}
		if c.Bool("define") && len(missing) > 0 {
			if p.widen != nil {
				defer p.widen()()
			}
			if err := database.Define(ctx, missing); err != nil {
				return err
			}
			answer.Defined = true
		}
		return p.answer(c, answer, func(w io.Writer) error {
			for _, name := range answer.Missing {
				if err := line("missing: %s", name)(w); err != nil {
					return err
				}
			}
			if answer.Defined {
				return line("all of it is defined again")(w)
			}
			return line("%d missing", len(answer.Missing))(w)
		})
	})
}
