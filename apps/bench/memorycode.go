package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/lived"
)

func memoryCodeCommand() *cli.Command {
	return &cli.Command{
		Name:  "memorycode",
		Usage: "replay the dialogues of MemoryCode, and count valid and outdated rules in the next starts",
		Description: "scripts/fetch-memorycode fetches the dialogues (ACL 2025, Apache-2.0). They are replayed in this process, through\n" +
			"the real intake, maintenance and briefing, on an empty store, without a model or with recorded answers. For\n" +
			"comparison there is a plain baseline: the newest sentences with a lasting word.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dataset", Usage: "the dialogues in `DIR`", Required: true},
			&cli.StringFlag{Name: "answers", Usage: "distil each session with a model's recorded answers in `FILE`, one session per line"},
			&cli.StringFlag{Name: "order", Usage: "`ORDER` of distillation: ended, all or catch-up", Value: lived.OrderEnded},
		},
		Action: func(c *cli.Context) error {
			orders := []string{lived.OrderEnded, lived.OrderAll, lived.OrderCatchUp}
			if order := c.String("order"); !slices.Contains(orders, order) {
				return fmt.Errorf("unknown order %q: use one of %q", order, orders)
			}
			rules, baseline, err := lived.MemoryCode(c.Context, c.String("dataset"), c.String("answers"), c.String("order"))
			if err != nil {
				return err
			}
			return errors.Join(rules.Write(c.App.Writer, "this memory"), baseline.Write(c.App.Writer, "the baseline"))
		},
	}
}
