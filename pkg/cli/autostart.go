package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
)

// serviceCommand makes memory setup service.
func serviceCommand(e *environment) *cli.Command {
	sub := func(name, usage string, work func(context.Context, *environment, sharedOptions) error) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, Description: described("", "memory setup service "+name),
			Flags: []cli.Flag{jsonFlag()}, Action: action(e, onlyShared, work),
		}
	}
	return &cli.Command{Name: "service", Usage: "have the system start the agent when you log in", Subcommands: []*cli.Command{
		sub("install", "start the agent now and at each login, and keep it running (systemd, launchd, Windows task)", installService),
		sub("remove", "end it, and let hooks start it again", removeService),
	}}
}

// serviceState is the state of the service.
type serviceState struct {
	Installed bool   `json:"installed"`
	Where     string `json:"where,omitempty"` // the file that describes it, or its name
	Removed   bool   `json:"removed,omitempty"`
}

func installService(ctx context.Context, e *environment, o sharedOptions) error {
	if _, err := e.Agent.Stop(ctx); err != nil { // the system's own is to serve
		return err
	}
	if err := e.InstallLaunchers(); err != nil {
		return err
	}
	where, err := e.Autostart().Install(ctx)
	if err != nil {
		return fmt.Errorf("the agent is not a service: %w", err)
	}
	return e.Print(ctx, o.JSON, serviceState{Installed: true, Where: where}, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "the agent runs, and is started at each login: %s\n", terminal.Printable(where))
		_, _ = fmt.Fprintln(w, "memory setup service remove takes it back")
	})
}

func removeService(ctx context.Context, e *environment, o sharedOptions) error {
	was, err := e.Autostart().Remove(ctx)
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, serviceState{Removed: was}, func(w io.Writer) {
		_, _ = fmt.Fprintln(w,
			map[bool]string{
				true:  "the service is removed; hooks start the agent when it is needed",
				false: "there is no service",
			}[was])
	})
}
