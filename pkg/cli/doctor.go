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
)

func doctorCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "find defects of settings, files, engine, store and plugin",
		Description: described("Exit code 0: everything works, or was repaired; 5: something does not work. Warnings do not count.", "memory doctor", "memory doctor --fix"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "fix", Usage: "repair what can be repaired without losing anything"},
		},
		Action: with(e, runDoctor),
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
		Memoryd: e.Daemon.AskMemoryd,
		Start: func(ctx context.Context) error {
			_, err := e.Daemon.Start(ctx)
			return err
		},
	}
	short, cancel := context.WithTimeout(c.Context, statusTime)
	defer cancel()
	e.Daemon.AlwaysSuggests = true
	e.Daemon.sendProject(short) // the project may be another one's continuation
	findings := d.Examine(c.Context)
	if c.Bool("fix") {
		findings = d.Fix(c.Context, findings)
	}
	slices.SortStableFunc(findings, func(a, b doctor.Finding) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	if err := e.Print(findings, func(w io.Writer) { findingsPage(e, w, findings) }); err != nil {
		return err
	}
	return failingFindings(findings)
}

// rankOf returns the sort key of a finding: the worst is first.
func rankOf(f doctor.Finding) int {
	return slices.Index([]doctor.Severity{doctor.Error, doctor.Warning, doctor.Info}, f.Severity)
}

// failingFindings returns errFindings if an error is left. Warnings do not count.
func failingFindings(findings []doctor.Finding) error {
	left := 0
	for _, f := range findings {
		if f.IsLeft() && f.Severity == doctor.Error {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", errFindings, terminal.Counted(left, "finding"))
}

func findingsPage(e *environment, w io.Writer, findings []doctor.Finding) {
	colours := map[doctor.Severity]string{
		doctor.Error: terminal.Red, doctor.Warning: terminal.Yellow,
		doctor.Info: terminal.Green,
	}
	for _, f := range findings {
		label := string(f.Severity)
		if f.Fixed {
			label = "fixed"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", e.Paint(colours[f.Severity], fmt.Sprintf("%-7s", label)), f.Check,
			e.underHome(f.Message))
		switch {
		case f.FixError != "":
			_, _ = fmt.Fprintf(w, "%s\t\tcould not be repaired: %s\n", e.Paint(terminal.Dim, "       "), e.underHome(f.FixError))
		case f.Remedy != "" && f.IsLeft():
			_, _ = fmt.Fprintf(w, "%s\t\t%s\n", e.Paint(terminal.Dim, "       "), terminal.Printable(f.Remedy))
		}
	}
}
