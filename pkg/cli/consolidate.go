package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// byHand is the trigger of a run requested by this command.
const byHand = "manual"

func consolidateCommand(e *environment) *cli.Command {
	jobs := memory.Each(schedule.Jobs(), func(job schedule.Job) string { return job.Name + " (" + job.Summary + ")" })
	return &cli.Command{
		Name: "consolidate", Usage: "run maintenance now", Action: with(e, runJobs),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "job", Usage: "only this `JOB`: " + strings.Join(schedule.JobNames(), ", ")},
			&cli.BoolFlag{Name: "all", Usage: "read every memory, not only the changed ones"},
		},
		Description: described("The jobs, in their order: "+strings.Join(jobs, ", ")+
			".\n\nEvery change is recorded: memory daemon runs lists the runs, memory undo RUN undoes one.",
			"memory daemon consolidate", "memory daemon consolidate --job dedup --all"),
	}
}

// waitTime is how long maintenance may run before the command prints that it is still running.
const waitTime = 10 * time.Second

func runJobs(c *cli.Context, e *environment) error {
	params := daemonapi.ConsolidateParams{Trigger: byHand, Job: c.String("job"), All: c.Bool("all")}
	defer time.AfterFunc(waitTime, func() {
		_, _ = fmt.Fprintln(e.Err,
			"memory: maintenance is still running, or waiting for its turn; it goes on if you stop this command, and memory daemon runs shows the result")
	}).Stop()
	return show(c.Context, e, daemonapi.MethodConsolidate, params, runReports)
}

const mostShown = 20

func runReports(w io.Writer, runs []memory.Run) {
	for _, run := range runs {
		runReport(w, run)
	}
}

// runReport prints a run with its first mostShown changes.
func runReport(w io.Writer, run memory.Run) {
	id := ""
	if run.Changed > 0 {
		id = run.ID
	}
	_, _ = fmt.Fprintf(w, "%s\tlooked at %d\tchanged %d\t%s%s\n", memory.ShownName(run.Job), run.Examined,
		run.Changed, freedBudget(run), id)
	if run.Job == memory.Undo && run.Changed > 0 {
		_, _ = fmt.Fprintf(w, "  undone: %s; memory undo %s takes this back\n", memory.Counted(run.Changed, "change"), run.ID)
	}
	for _, a := range run.Actions[:min(mostShown, len(run.Actions))] {
		_, _ = fmt.Fprintf(w, "  %s %s: %s\n", terminal.Printable(memory.ShownName(a.Kind)), memory.ShortID(a.Memory),
			terminal.Printable(memory.ShortenIDs(a.Reason)))
	}
	if more := run.Changed - mostShown; more > 0 && len(run.Actions) > mostShown {
		_, _ = fmt.Fprintf(w, "  and %d more\n", more)
	}
	for _, note := range run.Notes {
		if slices.ContainsFunc(run.Actions, func(a memory.Action) bool { return a.Reason == note }) {
			continue
		}
		_, _ = fmt.Fprintf(w, "  %s\n", terminal.Printable(note))
	}
	if run.Error != "" {
		_, _ = fmt.Fprintf(w, "  %s\n", terminal.Printable(run.Error))
	}
}

func freedBudget(run memory.Run) string {
	if run.TokensFreed == 0 {
		return ""
	}
	return "freed " + memory.Counted(run.TokensFreed, "token") + " "
}

func runsCommand(e *environment) *cli.Command {
	return command("runs", "list maintenance runs, or show one with its changes", "[RUN]", "memory daemon runs 0123456789ab",
		with(e, listRuns), &cli.BoolFlag{Name: "changed", Usage: "only runs that changed something"}, limitFlag())
}

func listRuns(c *cli.Context, e *environment) error {
	if id := undecorated(c.Args().First()); id != "" {
		return showRun(c.Context, e, id)
	}
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	all, err := daemonapi.MethodRuns.Ask(c.Context, e.Daemon.Call, everyRow)
	if err != nil {
		return err
	}
	none := "no maintenance has run yet; memory daemon consolidate runs it now"
	if c.Bool("changed") && len(all) > 0 {
		all, none = slices.DeleteFunc(all, hasChangedNothing), "no run has changed anything"
	}
	found, isCut := cut(all, limit)
	return e.Print(found, func(w io.Writer) {
		if len(found) == 0 {
			_, _ = fmt.Fprintln(w, none)
			return
		}
		_, _ = io.WriteString(w, "RUN\tSTARTED\tJOB\tBY\tEXAMINED\tCHANGED\tNOTE\n")
		for _, r := range found {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%s\n", r.ID, e.Ago(r.StartedAt),
				memory.ShownName(r.Job), terminal.Printable(memory.ShownName(r.Trigger)),
				r.Examined, r.Changed, runNote(r))
		}
		moreLine(w, isCut)
	})
}

func hasChangedNothing(r memory.Run) bool { return r.Changed == 0 }

func runNote(r memory.Run) string {
	notes := []string{strings.TrimSpace(freedBudget(r)), r.Error}
	if r.Job == memory.Amend {
		notes = slices.Concat(r.Notes, notes)
	}
	return terminal.Printable(strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), ", "))
}

func showRun(ctx context.Context, e *environment, id string) error {
	return show(ctx, e, daemonapi.MethodRun, id, func(w io.Writer, run memory.Run) {
		took := "unknown: it has not ended"
		if !run.EndedAt.IsZero() {
			took = run.EndedAt.Sub(run.StartedAt).String()
		}
		_, _ = fmt.Fprintf(w, "%s, started %s by %s, took %s\n", run.ID, e.Time(run.StartedAt), terminal.Printable(memory.ShownName(run.Trigger)), took)
		runReport(w, run)
	})
}

func undoCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "undo", Usage: "undo the last run (maintenance or an edit), or an earlier one", ArgsUsage: "[RUN]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "all runs of the last `TIME`, such as 8h, the newest first"},
			&cli.BoolFlag{Name: "yes", Usage: "without RUN: do not ask"},
		},
		Action: with(e, undoRun),
		Description: described("Without RUN it shows the last run that changed something, and asks whether to undo it. RUN is an id from memory daemon runs, or the beginning of one. "+
			"A memory that has changed since the run stays as it is. Later maintenance does not repeat a change that was undone. An undo is a run, too, and can be undone.",
			"memory undo", "memory undo 0123456789ab", "memory undo --since 8h"),
	}
}

// lastRun returns the id of the newest run that changed something. It also prints the run, unless the output is JSON.
func lastRun(ctx context.Context, e *environment) (id string, err error) {
	found, err := daemonapi.MethodRuns.Ask(ctx, e.Daemon.Call, everyRow)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(found, func(r memory.Run) bool { return r.Changed > 0 })
	if at < 0 {
		return "", fmt.Errorf("no run has changed anything: %w", memory.ErrNotFound)
	}
	id = found[at].ID
	if e.JSON { // only the answer is printed
		return id, nil
	}
	return id, showRun(ctx, e, id)
}

// undoSince undoes all runs of the last span of time, the newest first, because a run may build on earlier ones.
func undoSince(c *cli.Context, e *environment, span time.Duration) error {
	ctx := c.Context
	all, err := daemonapi.MethodRuns.Ask(ctx, e.Daemon.Call, everyRow)
	if err != nil {
		return err
	}
	from := e.Now().Add(-span)
	all = slices.DeleteFunc(all, func(r memory.Run) bool {
		return hasChangedNothing(r) || r.StartedAt.Before(from) || r.Job == memory.Undo
	})
	if len(all) == 0 {
		return fmt.Errorf("no run since %s has changed anything: %w", e.Time(from), memory.ErrNotFound)
	}
	changed := 0
	for _, r := range all {
		changed += r.Changed
	}
	question := fmt.Sprintf("Undo %s of %s, since %s?", memory.Counted(changed, "change"), memory.Counted(len(all), "run"), e.Time(from))
	if err := e.Confirm(c.Bool("yes"), question); err != nil {
		return err
	}
	undone := []memory.Run{}
	for _, r := range all {
		run, err := daemonapi.MethodUndo.Ask(ctx, e.Daemon.Call, daemonapi.UndoParams{Run: r.ID, Trigger: byHand})
		if err != nil {
			return fmt.Errorf("undone: %s; not undone: the run %s and the runs before it: %w", memory.Counted(len(undone), "run"), r.ID, err)
		}
		undone = append(undone, run)
	}
	return e.Print(undone, func(w io.Writer) { runReports(w, undone) })
}

func undoRun(c *cli.Context, e *environment) error {
	id := undecorated(c.Args().First())
	switch {
	case c.IsSet("since") && id != "":
		return usagef("--since undoes every run since a time: leave out RUN")
	case c.IsSet("since"):
		span, err := timeSpan(c.String("since"))
		if err != nil {
			return err
		}
		return undoSince(c, e, span)
	case id == "":
		var err error
		if id, err = lastRun(c.Context, e); err == nil {
			err = e.Confirm(c.Bool("yes"), "Undo this run?")
		}
		if err != nil {
			return err
		}
	}
	return show(c.Context, e, daemonapi.MethodUndo, daemonapi.UndoParams{Run: id, Trigger: byHand}, runReport)
}
