package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/doctor"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func doctorCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "find defects of settings, files, engine, store and plugin",
		Description: described("Exit code 0: everything works; 5: something does not work. Warnings do not count.", "memory doctor"),
		Action:      with(e, runDoctor),
	}
}

func runDoctor(c *cli.Context, e *environment) error {
	where, err := e.Project()
	if err != nil {
		return err
	}
	d := doctor.Doctor{
		Paths: e.Paths, Config: e.Config, Problems: e.Problems, Getenv: e.Getenv, Executable: e.Executable,
		Now: e.Now, Root: where.Root,
		Start: func(ctx context.Context) error {
			_, err := e.Daemon.Start(ctx)
			return err
		},
	}
	short, cancel := context.WithTimeout(c.Context, statusTime)
	defer cancel()
	e.Daemon.AlwaysSuggests = true
	e.Daemon.sendProject(short) // the folder may belong to another known project
	findings := d.Examine(c.Context)
	worstFirst := []doctor.Severity{doctor.Error, doctor.Warning, doctor.Info}
	slices.SortStableFunc(findings, func(a, b doctor.Finding) int {
		return cmp.Compare(slices.Index(worstFirst, a.Severity), slices.Index(worstFirst, b.Severity))
	})
	if err := e.Print(findings, func(w io.Writer) { findingsPage(e, w, findings) }); err != nil {
		return err
	}
	findings = slices.DeleteFunc(findings, func(f doctor.Finding) bool { return f.Severity != doctor.Error })
	if len(findings) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", errFindings, memory.Counted(len(findings), "finding"))
}

func findingsPage(e *environment, w io.Writer, findings []doctor.Finding) {
	for _, f := range findings {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.Severity, f.Check, e.underHome(f.Message))
		if f.Remedy != "" {
			_, _ = fmt.Fprintf(w, "\t\t%s\n", terminal.Printable(f.Remedy))
		}
	}
}
