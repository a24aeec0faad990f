// Package upkeep has the commands about maintenance: run it, show its runs, and undo
// them.
package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/caller"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/rows"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/jobs"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// byHand is the trigger of a run that somebody asks for here.
const byHand = "manual"

// Consolidate makes memory consolidate.
func Consolidate(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "consolidate", Usage: "run maintenance now, or list its runs", Action: command.Action(e, consolidateOptionsOf, runJobs),
		BashComplete: e.Complete(nil, jobValues), Subcommands: []*cli.Command{pastRuns(e)},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "job", Usage: "only this `JOB`: " + strings.Join(jobs.Names(), ", ")},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show the planned changes"},
			&cli.BoolFlag{Name: "all", Usage: "look at every memory, and not only at changed ones"},
			&cli.BoolFlag{Name: "force", Usage: "archive everything that is due, even more than a tenth at once"},
			command.JSONFlag(),
		},
		Description: command.Described("The jobs, in their order: "+summaries()+".\n\nEvery change is recorded: memory consolidate runs lists the runs, memory undo RUN undoes one.",
			"memory consolidate --dry-run", "memory consolidate --job dedup --all"),
	}
}

// summaries lists the jobs with their work.
func summaries() string {
	var all []string
	for _, job := range jobs.All() {
		all = append(all, job.Name+" ("+job.Summary+")")
	}
	return strings.Join(all, ", ")
}

// jobValues completes --job.
var jobValues = map[string]command.Values{"job": func(context.Context, *cli.Context) []command.Candidate {
	var found []command.Candidate
	for _, job := range jobs.All() {
		found = append(found, command.Candidate{Word: job.Name, Meaning: job.Summary})
	}
	return found
}}

// consolidateOptions say which jobs to run, and how.
type consolidateOptions struct {
	command.Shared
	params agentapi.ConsolidateParams
}

func consolidateOptionsOf(c *cli.Context) (consolidateOptions, error) {
	o := consolidateOptions{command.SharedOf(c), agentapi.ConsolidateParams{
		Trigger: byHand, Job: c.String("job"), DryRun: c.Bool("dry-run"), Force: c.Bool("force"), All: c.Bool("all"),
	}}
	if o.params.Job != "" && !slices.Contains(jobs.Names(), o.params.Job) {
		return o, command.Usagef("there is no job %q; there are %s", o.params.Job, strings.Join(jobs.Names(), ", "))
	}
	return o, nil
}

// waitTime is after how long people are told that maintenance is still at it.
const waitTime = 10 * time.Second

func runJobs(ctx context.Context, e *command.Env, o consolidateOptions) error {
	var burst *agentapi.BurstStatus
	if err := e.Agent.Ask(ctx, agentapi.MethodBurst.Call(agentapi.None{}, &burst)); err == nil && burst != nil {
		_, _ = fmt.Fprintln(e.Err, "memory: a burst of events is being taken in; this runs at once beside it, and both take longer")
	}
	defer time.AfterFunc(waitTime, func() {
		_, _ = fmt.Fprintln(e.Err, "memory: it waits for its turn or has much to do; it goes on also if you end this command: memory consolidate runs shows what came of it")
	}).Stop()
	runs := []memory.Run{}
	if err := e.Agent.CallWithin(ctx, caller.LongTime, agentapi.MethodConsolidate.Call(o.params, &runs)); err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, runs, func(w io.Writer) {
		for _, run := range runs {
			runReport(e, w, run, o.params.DryRun)
		}
	})
}

// mostShown bounds the changes that are shown of each run.
const mostShown = 20

// runReport shows a run with the first of its actions.
func runReport(e *command.Env, w io.Writer, run memory.Run, dry bool) {
	verb := "changed"
	if dry {
		verb = "would change"
	}
	_, _ = fmt.Fprintf(w, "%s\tlooked at %d\t%s %d\t%s%s\n", e.Paint(terminal.Cyan, run.Job), run.Examined, verb, run.Changed, freed(run), runID(e, run, dry))
	for _, a := range run.Actions[:min(mostShown, len(run.Actions))] {
		_, _ = fmt.Fprintf(w, "  %s %s: %s\n", terminal.Printable(a.Kind), memory.ShortID(a.Memory), terminal.Printable(memory.ShortenIDs(a.Reason)))
	}
	if more := run.Changed - mostShown; more > 0 && len(run.Actions) > mostShown {
		_, _ = fmt.Fprintf(w, "  and %d more\n", more)
	}
	for _, note := range run.Notes {
		_, _ = fmt.Fprintf(w, "  %s\n", e.Paint(terminal.Dim, terminal.Printable(note)))
	}
	if run.Error != "" {
		_, _ = fmt.Fprintf(w, "  %s\n", e.Paint(terminal.Red, terminal.Printable(run.Error)))
	}
}

func runID(e *command.Env, run memory.Run, dry bool) string {
	if dry || run.Changed == 0 {
		return ""
	}
	return e.Paint(terminal.Dim, run.ID)
}

func freed(run memory.Run) string {
	if run.TokensFreed == 0 {
		return ""
	}
	return "freed " + terminal.Counted(run.TokensFreed, "token") + " "
}

func pastRuns(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "runs", Usage: "list maintenance runs, or show one with its changes", ArgsUsage: "[RUN]",
		Description:  command.Described("", "memory consolidate runs --limit 5", "memory consolidate runs 0123456789ab"),
		BashComplete: e.Complete(runIDs(e), nil),
		Flags:        []cli.Flag{command.LimitFlag(), command.JSONFlag()}, Action: command.Action(e, runsOptionsOf, runs),
	}
}

// runsOptions select the runs to list, or the one to show.
type runsOptions struct {
	command.Shared
	run   string // its id or the beginning of it; empty lists them
	limit int    // rows, at least 1
}

func runsOptionsOf(c *cli.Context) (o runsOptions, err error) {
	o.Shared, o.run = command.SharedOf(c), c.Args().First()
	if o.run == "" {
		o.limit, err = command.LimitOf(c)
	}
	return o, err
}

func runs(ctx context.Context, e *command.Env, o runsOptions) error {
	if o.run != "" {
		return oneRun(ctx, e, o)
	}
	found := []memory.Run{}
	if err := e.Agent.Call(ctx, agentapi.MethodRuns.Call(o.limit+1, &found)); err != nil {
		return err
	}
	total := len(found)
	if total > o.limit { // there are more: how many, only a list of all tells
		var all []memory.Run
		if err := e.Agent.Call(ctx, agentapi.MethodRuns.Call(command.EveryRow, &all)); err != nil {
			return err
		}
		found, total = found[:o.limit], len(all)
	}
	return e.Print(ctx, o.JSON, found, func(w io.Writer) {
		if len(found) == 0 {
			_, _ = fmt.Fprintln(w, "no maintenance has run yet; memory consolidate runs it now")
			return
		}
		_, _ = io.WriteString(w, e.Header("RUN", "STARTED", "JOB", "BY", "EXAMINED", "CHANGED", "NOTE"))
		for _, r := range found {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%s\n", e.Paint(terminal.Cyan, r.ID), e.Ago(r.StartedAt), r.Job, terminal.Printable(r.Trigger),
				r.Examined, r.Changed, noteOf(r))
		}
		rows.More(e.Terminal, w, len(found), total, total >= command.EveryRow)
	})
}

// noteOf is how a run is described in a list.
func noteOf(r memory.Run) string {
	notes := []string{strings.TrimSpace(freed(r)), r.Error}
	if r.Job == memory.Amend {
		notes = slices.Concat(r.Notes, notes)
	}
	return terminal.Printable(strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), ", "))
}

func oneRun(ctx context.Context, e *command.Env, o runsOptions) error {
	var run memory.Run
	if err := e.Agent.Call(ctx, agentapi.MethodRun.Call(o.run, &run)); err != nil {
		return orListed(err)
	}
	return e.Print(ctx, o.JSON, run, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s, started %s by %s, took %s\n", run.ID, e.Time(run.StartedAt), terminal.Printable(run.Trigger), took(run))
		runReport(e, w, run, false)
	})
}

// orListed says of a run that is not found where the runs are listed.
func orListed(err error) error {
	if errors.Is(err, memory.ErrNotFound) {
		return fmt.Errorf("%w; memory consolidate runs lists them", err)
	}
	return err
}

func took(run memory.Run) string {
	if run.EndedAt.IsZero() {
		return "unknown: it has not ended"
	}
	return run.EndedAt.Sub(run.StartedAt).String()
}

// Undo makes memory undo.
func Undo(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "undo", Usage: "take back the last run of maintenance, or another", ArgsUsage: "[RUN]",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "yes", Usage: "without RUN: do not ask"}, command.JSONFlag()}, Action: command.Action(e, undoOptionsOf, undo),
		Description: command.Described("Without RUN it shows the last run that changed something, and asks. RUN is an id as memory consolidate runs shows it, or its beginning. "+
			"Memories that have changed since are left alone, and later runs leave the reverted ones alone. The undo is a run of its own and can be undone.",
			"memory undo", "memory undo 0123456789ab"),
		BashComplete: e.Complete(runIDs(e), nil),
	}
}

// undoOptions say which run to undo.
type undoOptions struct {
	command.Shared
	run string // its id or the beginning of it; empty is the last one
	yes bool   // do not ask before the last one is undone
}

func undoOptionsOf(c *cli.Context) (undoOptions, error) {
	if c.Args().Len() > 1 {
		return undoOptions{}, command.Usagef("give one run, or none for the last; memory consolidate runs lists them")
	}
	return undoOptions{command.SharedOf(c), c.Args().First(), c.Bool("yes")}, nil
}

// last finds the newest run that has changed something, and shows it.
func last(ctx context.Context, e *command.Env, json bool) (id string, err error) {
	found, err := agentapi.MethodRuns.Ask(ctx, e.Agent.Call, command.EveryRow)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(found, func(r memory.Run) bool { return r.Changed > 0 })
	if at < 0 {
		return "", fmt.Errorf("no run has changed anything: %w", memory.ErrNotFound)
	}
	id = found[at].ID
	if json { // the answer alone is printed
		return id, nil
	}
	return id, oneRun(ctx, e, runsOptions{run: id})
}

func undo(ctx context.Context, e *command.Env, o undoOptions) error {
	if o.run == "" {
		id, err := last(ctx, e, o.JSON)
		if err != nil {
			return err
		}
		if err := e.Confirm(o.yes, "Take this run back?"); err != nil {
			return err
		}
		o.run = id
	}
	var run memory.Run
	if err := e.Agent.Call(ctx, agentapi.MethodUndo.Call(agentapi.UndoParams{Run: o.run, Trigger: byHand}, &run)); err != nil {
		return orListed(err)
	}
	return e.Print(ctx, o.JSON, run, func(w io.Writer) { runReport(e, w, run, false) })
}

// runIDs completes the id of a run.
func runIDs(e *command.Env) command.Values {
	return func(ctx context.Context, c *cli.Context) []command.Candidate {
		var found []memory.Run
		if c.Args().Present() || e.Agent.Ask(ctx, agentapi.MethodRuns.Call(command.MostCandidates, &found)) != nil {
			return nil
		}
		all := make([]command.Candidate, 0, len(found))
		for _, run := range found {
			all = append(all, command.Candidate{Word: run.ID, Meaning: run.Job + ", " + e.Time(run.StartedAt)})
		}
		return all
	}
}
