package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// byHand is the trigger of what somebody asks for here.
const byHand = "manual"

func (p *program) consolidateCommand() *cli.Command {
	return &cli.Command{
		Name: "consolidate", Usage: "run maintenance now: distil, dedup, promote, prune and the rest", Action: p.consolidate,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "job", Usage: "only this `JOB`: " + strings.Join(consolidate.Jobs(), ", ")},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would be done"},
			&cli.BoolFlag{Name: "all", Usage: "look at every memory, and not only at what has changed"},
			&cli.BoolFlag{Name: "force", Usage: "put away as much as is due, also more than a tenth at once"},
			jsonFlag(),
		},
		Description: described("Every change is recorded: memory runs lists the runs, memory undo RUN takes one back.",
			"memory consolidate --dry-run", "memory consolidate --job dedup --all"),
	}
}

func (p *program) consolidate(c *cli.Context) error {
	params := agentapi.ConsolidateParams{
		Trigger: byHand, Job: c.String("job"), DryRun: c.Bool("dry-run"), Force: c.Bool("force"), All: c.Bool("all"),
	}
	if params.Job != "" && !slices.Contains(consolidate.Jobs(), params.Job) {
		return usageError{fmt.Errorf("there is no job %q; there are %s", params.Job, strings.Join(consolidate.Jobs(), ", "))}
	}
	runs := []memory.Run{}
	if err := p.call(c.Context, agentapi.MethodConsolidate, params, &runs); err != nil {
		return err
	}
	return p.print(c, runs, func(w io.Writer) {
		for _, run := range runs {
			p.runReport(w, run, params.DryRun)
		}
	})
}

// mostShown bounds the changes that are shown of each run.
const mostShown = 20

// runReport shows a run with the first of what it did.
func (p *program) runReport(w io.Writer, run memory.Run, dry bool) {
	verb := "changed"
	if dry {
		verb = "would change"
	}
	_, _ = fmt.Fprintf(w, "%s\tlooked at %d\t%s %d\t%s%s\n", p.paint(cyan, run.Job), run.Examined, verb, run.Changed, freed(run), p.id(run, dry))
	for _, a := range run.Actions[:min(mostShown, len(run.Actions))] {
		_, _ = fmt.Fprintf(w, "  %s %s: %s\n", printable(a.Kind), memory.ShortID(a.Memory), printable(memory.ShortenIDs(a.Reason)))
	}
	if more := run.Changed - mostShown; more > 0 && len(run.Actions) > mostShown {
		_, _ = fmt.Fprintf(w, "  and %d more\n", more)
	}
	for _, note := range run.Notes {
		_, _ = fmt.Fprintf(w, "  %s\n", p.paint(dim, printable(note)))
	}
	if run.Error != "" {
		_, _ = fmt.Fprintf(w, "  %s\n", p.paint(red, printable(run.Error)))
	}
}

func (p *program) id(run memory.Run, dry bool) string {
	if dry || run.Changed == 0 {
		return ""
	}
	return p.paint(dim, run.ID)
}

func freed(run memory.Run) string {
	if run.TokensFreed == 0 {
		return ""
	}
	return "freed " + counted(run.TokensFreed, "token") + " "
}

func (p *program) runsCommand() *cli.Command {
	return &cli.Command{
		Name: "runs", Usage: "list maintenance runs, or show one with what it changed", ArgsUsage: "[RUN]",
		Description:  described("", "memory runs --limit 5", "memory runs 0123456789ab"),
		BashComplete: p.completeWith(p.runIDs),
		Flags:        []cli.Flag{limitFlag(), jsonFlag()}, Action: p.runs,
	}
}

func (p *program) runs(c *cli.Context) error {
	if c.Args().Present() {
		return p.oneRun(c, c.Args().First())
	}
	runs := []memory.Run{}
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	if err := p.call(c.Context, agentapi.MethodRuns, limit+1, &runs); err != nil {
		return err
	}
	more := len(runs) > limit
	runs = runs[:min(limit, len(runs))]
	return p.print(c, runs, func(w io.Writer) {
		if len(runs) == 0 {
			_, _ = fmt.Fprintln(w, "no maintenance has run yet; memory consolidate runs it now")
			return
		}
		_, _ = io.WriteString(w, p.header("RUN", "STARTED", "JOB", "BY", "EXAMINED", "CHANGED", "NOTE"))
		for _, r := range runs {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%s\n", p.paint(cyan, r.ID), p.ago(r.StartedAt), r.Job, printable(r.Trigger),
				r.Examined, r.Changed, freed(r)+printable(r.Error))
		}
		p.moreRows(w, len(runs), more)
	})
}

func (p *program) oneRun(c *cli.Context, id string) error {
	var run memory.Run
	if err := p.call(c.Context, agentapi.MethodRun, id, &run); err != nil {
		return err
	}
	return p.print(c, run, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s, started %s by %s, took %s\n", run.ID, p.time(run.StartedAt), printable(run.Trigger), took(run))
		p.runReport(w, run, false)
	})
}

func took(run memory.Run) string {
	if run.EndedAt.IsZero() {
		return "unknown: it has not ended"
	}
	return run.EndedAt.Sub(run.StartedAt).String()
}

func (p *program) undoCommand() *cli.Command {
	return &cli.Command{
		Name: "undo", Usage: "put back what a run has changed, where nobody touched it since", ArgsUsage: "RUN",
		Flags: []cli.Flag{jsonFlag()}, Action: p.undo,
		Description: described("RUN is an id as memory runs shows it, or its beginning. What is put back is left alone by later runs. "+
			"Undoing is a run of its own and can be undone.", "memory undo 0123456789ab"),
		BashComplete: p.completeWith(p.runIDs),
	}
}

func (p *program) undo(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return usageError{errors.New("undo which run? memory runs lists them")}
	}
	var run memory.Run
	if err := p.call(c.Context, agentapi.MethodUndo, agentapi.UndoParams{Run: c.Args().First(), Trigger: byHand}, &run); err != nil {
		return err
	}
	return p.print(c, run, func(w io.Writer) { p.runReport(w, run, false) })
}
