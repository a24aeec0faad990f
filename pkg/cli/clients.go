package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// clientsCommand makes memory setup clients.
func clientsCommand(e *environment) *cli.Command {
	one := func(name, usage, description, example string, action cli.ActionFunc) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: "NAME", Description: described(description, example),
			Flags: []cli.Flag{jsonFlag()}, Action: action,
			BashComplete: e.Complete(func(context.Context, *cli.Context) []candidate { return clientNames(e) }, nil),
		}
	}
	return &cli.Command{
		Name: "clients", Usage: "share this memory with other coding agents",
		Description: described("Without a subcommand it lists them.", "memory setup clients"),
		Flags:       []cli.Flag{jsonFlag()}, Action: action(e, clientsOptionsOf, listClients),
		Subcommands: []*cli.Command{
			one("connect", "put our hooks and MCP server into a client's configuration",
				"What the configuration was before is kept; a file that is not understood is refused. It can be run again.", "memory setup clients connect codex",
				action(e, clientOptionsOf, connectOne)),
			one("disconnect", "take them out again",
				"A file that nobody has changed since is restored to the byte; from any other only our entries are removed.",
				"memory setup clients disconnect codex", action(e, clientOptionsOf, disconnectOne)),
		},
	}
}

// connectEnv is where clients are looked for.
func connectEnv(e *environment) connect.Env {
	return connect.Env{Paths: e.Paths, Getenv: e.Getenv, Plugin: paths.InstalledRoot(e.Executable)}
}

func clientNames(e *environment) (all []candidate) {
	for _, c := range connect.All(connectEnv(e)) {
		all = append(all, candidate{Word: c.Name, Meaning: c.Title})
	}
	return all
}

// clientsOptions has no options of its own.
type clientsOptions struct{ sharedOptions }

func clientsOptionsOf(c *cli.Context) (clientsOptions, error) {
	if c.Args().Present() {
		return clientsOptions{}, usagef("memory setup clients knows connect NAME and disconnect NAME, not %q", c.Args().First())
	}
	return clientsOptions{sharedOptionsOf(c)}, nil
}

func listClients(ctx context.Context, e *environment, o clientsOptions) error {
	states := []connect.State{}
	for _, c := range connect.All(connectEnv(e)) {
		states = append(states, c.State())
	}
	return e.Print(ctx, o.JSON, states, func(w io.Writer) {
		for _, s := range states {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, s.Title, clientState(s))
			for _, problem := range s.Problems {
				_, _ = fmt.Fprintf(w, "\t\t%s\n", terminal.Printable(problem))
			}
			if s.Remedy != "" {
				_, _ = fmt.Fprintf(w, "\t\tto mend it: %s\n", terminal.Printable(s.Remedy))
			}
		}
	})
}

func clientState(s connect.State) string {
	switch {
	case s.Connected:
		return "connected"
	case s.Partly:
		return "connected in part"
	case s.Installed:
		return "not connected; memory setup clients connect " + s.Name
	}
	return "not installed"
}

// clientOptions name a client.
type clientOptions struct {
	sharedOptions
	name string
}

func clientOptionsOf(c *cli.Context) (clientOptions, error) {
	if c.Args().Len() != 1 {
		return clientOptions{}, usagef("name one client; memory setup clients lists them")
	}
	return clientOptions{sharedOptionsOf(c), c.Args().First()}, nil
}

func (o clientOptions) client(e *environment) (connect.Client, error) {
	c, known := connect.Named(connectEnv(e), o.name)
	if !known {
		return c, fmt.Errorf("client %s: %w; memory setup clients lists those that can be connected",
			memory.Cut(o.name, 100), memory.ErrNotFound)
	}
	return c, nil
}

// connectedClient is the result of a change to a client's configuration.
type connectedClient struct {
	Client  string   `json:"client"`
	Changed bool     `json:"changed"`
	Files   []string `json:"files"`
	Next    string   `json:"next,omitempty"` // a step of the user's
}

func connectOne(ctx context.Context, e *environment, o clientOptions) error {
	c, err := o.client(e)
	if err != nil {
		return err
	}
	if !c.State().Installed {
		return fmt.Errorf("%s is not on the PATH, and has left no configuration here: install it, then memory setup clients connect %s: %w", c.Title, c.Name, memory.ErrNotFound)
	}
	changed, err := c.Connect()
	if err != nil {
		return err
	}
	d := connectedClient{Client: c.Name, Changed: changed, Files: c.Files(), Next: c.Trust()}
	return e.Print(ctx, o.JSON, d, func(w io.Writer) {
		if changed {
			_, _ = fmt.Fprintf(w, "%s is connected: %s\n", c.Title, terminal.Printable(strings.Join(d.Files, ", ")))
			_, _ = fmt.Fprintln(w, "memory import transcripts --codex reads its past sessions")
		} else {
			_, _ = fmt.Fprintf(w, "%s was connected already\n", c.Title)
		}
		if d.Next != "" && len(c.State().Problems) > 0 {
			_, _ = fmt.Fprintln(w, d.Next)
		}
	})
}

func disconnectOne(ctx context.Context, e *environment, o clientOptions) error {
	c, err := o.client(e)
	if err != nil {
		return err
	}
	changed, err := c.Disconnect()
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, connectedClient{Client: c.Name, Changed: changed, Files: c.Files()}, func(w io.Writer) {
		if changed {
			_, _ = fmt.Fprintf(w, "%s is no longer connected\n", c.Title)
		} else {
			_, _ = fmt.Fprintf(w, "%s was not connected\n", c.Title)
		}
	})
}
