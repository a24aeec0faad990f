package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Setup prepares the store when the user asks for it: it installs the engine and starts the daemon, which brings the schema up to date. It
// can be repeated; without it the daemon does the same at the start of a session. It reports progress on standard error, and
// the outcome in a message to the user.
var Setup = hook.Hook{
	Event:    hookio.Setup,
	Deadline: func(h config.Hooks) time.Duration { return 20 * h.SessionStartDeadline },
	Run:      runSetup,
}

func runSetup(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	steps := []struct {
		title   string
		program string
		args    []string
	}{
		{"finding or installing the database engine", "memoryd", []string{"--install-engine"}},
		{"starting the daemon", "memory", []string{"daemon", "start"}},
	}
	progress := call.Stderr
	for _, step := range steps {
		_, _ = fmt.Fprintf(progress, "surrealdb-memory: %s\n", step.title)
		if err := runProgram(ctx, call, progress, step.program, step.args...); err != nil {
			failed := fmt.Sprintf("surrealdb-memory: %s failed: %v; events are kept in %s for later. To fix it: %s",
				step.title, err, paths.Tildes(call.Paths.Spool(), call.Getenv("HOME")), cliCommand(call, "doctor"))
			_, _ = fmt.Fprintln(progress, failed)
			return hookio.Output{SystemMessage: failed}, err
		}
	}
	const ready = "surrealdb-memory is ready: the daemon runs"
	_, _ = fmt.Fprintln(progress, ready)
	return hookio.Output{SystemMessage: ready}, nil
}

// runProgram runs one of the plugin's programs until it exits.
func runProgram(ctx context.Context, call *hook.Call, output io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, paths.Program(call.Executable, name), args...)
	cmd.Env = append(consent.NetworkVariables(os.Environ()), call.Environ()...)
	cmd.Stdout, cmd.Stderr = output, output // the client reads the hook's standard output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, errors.Join(err, ctx.Err()))
	}
	return nil
}
