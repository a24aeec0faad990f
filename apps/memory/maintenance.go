package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func (p *program) consolidate(c *cli.Context) error {
	var run memory.Run
	if err := p.call(c.Context, agentapi.MethodMaintain, agentapi.MaintainParams{Job: c.String("job"), Trigger: "manual"}, &run); err != nil {
		return err
	}
	return p.print(c, run, func(w io.Writer) { p.runLine(w, run) })
}

func (p *program) runs(c *cli.Context) error {
	runs := []memory.Run{}
	if err := p.call(c.Context, agentapi.MethodRuns, c.Int("limit"), &runs); err != nil {
		return err
	}
	return p.print(c, runs, func(w io.Writer) {
		for _, r := range runs {
			p.runLine(w, r)
		}
	})
}

func (p *program) runLine(w io.Writer, r memory.Run) {
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d examined\t%d changed\t%s\n",
		r.StartedAt.Local().Format(time.DateTime), r.Job, r.Trigger, r.Examined, r.Changed, printable(r.Error))
}

func (p *program) consolidateCommand() *cli.Command {
	job := &cli.StringFlag{Name: "job", Usage: "`JOB`: " + strings.Join(consolidate.Jobs(), ", "), Value: consolidate.Recount}
	return &cli.Command{
		Name: "consolidate", Usage: "run a maintenance job now", Flags: []cli.Flag{job, jsonFlag()}, Action: p.consolidate,
	}
}

func (p *program) runsCommand() *cli.Command {
	return &cli.Command{
		Name: "runs", Usage: "list maintenance runs", Flags: []cli.Flag{limitFlag(), jsonFlag()}, Action: p.runs,
	}
}
