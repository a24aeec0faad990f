package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/lived"
)

func memoryCodeCommand() *cli.Command {
	orders := []string{lived.OrderEnded, lived.OrderAll, lived.OrderCatchUp}
	return &cli.Command{
		Name:  "memorycode",
		Usage: "live the dialogues of MemoryCode, and count the rules that hold, and the outdated ones, in the next starts",
		Description: "scripts/fetch-memorycode fetches the dialogues (ACL 2025, Apache-2.0). They are lived in this process, through\n" +
			"the real intake, maintenance and briefing, on a store in memory, without a model or by recorded answers.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dataset", Usage: "the dialogues in `DIR`", Required: true},
			&cli.StringFlag{Name: "answers", Usage: "distil each session by a model's recorded answers in `FILE`, one session a line"},
			&cli.StringFlag{Name: "order", Usage: "distil in an `ORDER`: ended, all or catch-up", Value: lived.OrderEnded},
			&cli.IntFlag{Name: "baseline", Usage: "print the plain baseline of so many `TOKENS` instead: the newest sentences with one of some words"},
		},
		Action: func(c *cli.Context) (err error) {
			var rules lived.Rules
			switch order := c.String("order"); {
			case !slices.Contains(orders, order):
				return fmt.Errorf("there is no order %q: give one of %q", order, orders)
			case c.Int("baseline") > 0:
				rules, err = lived.PlainMemoryCode(c.String("dataset"), c.Int("baseline"))
			default:
				rules, err = lived.MemoryCode(c.Context, c.String("dataset"), c.String("answers"), order)
			}
			if err != nil {
				return err
			}
			return rules.Write(c.App.Writer)
		},
	}
}
