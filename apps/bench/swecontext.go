package main

import (
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/lived"
)

func sweContextCommand() *cli.Command {
	return &cli.Command{
		Name:  "swecontext",
		Usage: "ask for past sessions by the issues of SWE-ContextBench Lite, beside plain BM25",
		Description: "git clone https://github.com/jiayuanz3/SWEContextBench DIR fetches 300 transcripts of Claude Code and the issues. They\n" +
			"are imported, a project for each repository, and each issue is asked as with memory recall: in this process,\n" +
			"through the real importer and answers, on an empty store.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "dataset", Usage: "the folder cases of that repository, `DIR`", Required: true}},
		Action: func(c *cli.Context) error {
			found, err := lived.SWEContext(c.Context, c.String("dataset"))
			for _, one := range found {
				if err == nil {
					err = one.Write(c.App.Writer)
				}
			}
			return err
		},
	}
}
