package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/doctor"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/resident"
)

// errFindings says that something is wrong and was not mended.
var errFindings = errors.New("something is wrong")

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "find what is wrong with settings, files, processes, engine, schema, spool, index, plugin and hooks",
		Description: described("Exit code 0: everything works, or was mended; 5: something does not. A warning alone is no failure.", "memory doctor", "memory doctor --deep --fix"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "deep", Usage: "compare the index with the store, and empty the spool"},
			&cli.BoolFlag{Name: "fix", Usage: "mend what can be mended without losing anything"},
			projectFlag(), jsonFlag(),
		},
		Action: p.doctor,
	}
}

func (p *program) doctor(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("doctor takes no arguments; see memory doctor --help")
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	_, problems := config.Load(p.paths.ConfigFile(), p.getenv)
	bar := p.bar(doctor.Checks, "looking")
	d := doctor.Doctor{
		Paths: p.paths, Config: p.config, Problems: problems, Getenv: p.getenv, Executable: p.executable, Version: version,
		Now: p.now, Project: doctor.Project{Key: where.Key, Root: where.Root}, Run: p.runProgram, FreeBytes: doctor.FreeBytes,
		Start: func(ctx context.Context) error {
			_, err := p.startAgent(ctx)
			return err
		},
		Progress: func(what string) {
			bar.Describe(what)
			_ = bar.Add(1) // it is only for the eye
		},
	}
	findings := d.Examine(c.Context, c.Bool("deep"))
	if c.Bool("fix") {
		findings = d.Fix(c.Context, findings)
	}
	_ = bar.Finish()
	if err := p.print(c, findings, func(w io.Writer) { p.findingsPage(w, findings) }); err != nil {
		return err
	}
	return failing(findings)
}

// failing makes an error of what does not work. A warning alone is none.
func failing(findings []doctor.Finding) error {
	left := 0
	for _, f := range findings {
		if f.IsLeft() && f.Severity == doctor.Error {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", errFindings, counted(left, "finding"))
}

func (p *program) findingsPage(w io.Writer, findings []doctor.Finding) {
	colours := map[doctor.Severity]string{doctor.Error: red, doctor.Warning: yellow, doctor.Info: green}
	for _, f := range findings {
		label := string(f.Severity)
		if f.Fixed {
			label = "fixed"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", p.paint(colours[f.Severity], fmt.Sprintf("%-7s", label)), f.Check, printable(f.Message))
		switch {
		case f.FixError != "":
			_, _ = fmt.Fprintf(w, "%s\t\tcould not be mended: %s\n", p.paint(dim, "       "), printable(f.FixError))
		case f.Remedy != "" && f.IsLeft():
			_, _ = fmt.Fprintf(w, "%s\t\t%s\n", p.paint(dim, "       "), printable(f.Remedy))
		}
	}
}

// runProgram runs a program of the plugin with this environment and more. What it
// wrote counts, whatever its exit code.
func (p *program) runProgram(ctx context.Context, program string, input []byte, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, paths.Program(p.executable, program), args...)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = append(resident.Environment(os.Environ()), "MEMORY_HOME="+p.paths.Home)
	cmd.Env = append(cmd.Env, env...)
	output, err := cmd.Output()
	var exited *exec.ExitError
	if errors.As(err, &exited) && len(output) > 0 {
		err = nil
	}
	return output, err
}
