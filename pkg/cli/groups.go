package cli

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/backups"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/clients"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/correct"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/explain"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/find"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/keep"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/projects"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/service"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/settings"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/setup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/share"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/transfer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/upkeep"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consent"
)

// program is the program with the environment of its commands.
type program struct{ command.Env }

// group is a set of commands that belong together: the help shows them under one
// heading. Those of a group without a name are for programs, and not shown.
type group struct {
	name     string
	commands []*cli.Command
}

// groups lists the commands of memory, in the order of the help and of docs/cli.md. A new
// command is one more line of its group, and better still a part of a command that is here. Its
// description ends in an example (see command.Described).
func (p *program) groups() []group {
	e := &p.Env
	return []group{
		{"Use", []*cli.Command{
			keep.Remember(e),
			find.Recall(e),
			find.List(e),
			find.Show(e),
			correct.Edit(e),
			correct.Forget(e),
			correct.Restore(e, backups.RestoreFile),
			share.Review(e),
			explain.Open(e),
		}},
		{"Look", []*cli.Command{
			find.Sessions(e),
			explain.Context(e),
			explain.Explain(e),
			service.Status(e),
			service.Doctor(e),
		}},
		{"Share", []*cli.Command{
			share.Share(e, transfer.Sync(e), backups.Move(e)),
			projects.Projects(e),
			transfer.Import(e),
			transfer.Export(e),
		}},
		{"Maintain", []*cli.Command{
			upkeep.Consolidate(e),
			upkeep.Undo(e),
			upkeep.Distill(e),
			backups.Backup(e),
			backups.Purge(e),
			settings.Config(e),
			setup.Setup(e, setup.Steps{Past: pastSessions, Read: transfer.ReadPast, Estimate: upkeep.Estimate, Switch: upkeep.Switch}, clients.Clients(e), service.Service(e), service.Engine(e)),
			backups.Uninstall(e),
		}},
		{"", []*cli.Command{
			service.Agent(e),
			explain.Eval(e),
			setup.Completion(e),
			setup.Man(e, p.app),
		}},
	}
}

// commands lists the commands of all groups.
func (p *program) commands() []*cli.Command {
	var all []*cli.Command
	for _, group := range p.groups() {
		for _, command := range group.commands {
			command.Hidden = group.name == ""
		}
		all = append(all, group.commands...)
	}
	return all
}

func pastSessions(ctx context.Context, e *command.Env) (past setup.Past, err error) {
	past.Sessions, past.Projects, past.Since, err = transfer.Past(ctx, e)
	return past, err
}

func (p *program) app() *cli.App {
	app := cli.NewApp()
	app.Name = "memory"
	app.Usage = "what Claude Code remembers"
	app.Version = p.Version
	app.Writer, app.ErrWriter = p.Out, p.Err
	app.HideHelpCommand = true
	app.EnableBashCompletion = true
	app.BashComplete = p.Complete(nil, nil)
	app.ExitErrHandler = func(*cli.Context, error) {} // exitCode does it
	app.OnUsageError = func(c *cli.Context, err error, _ bool) error { return flagError(c, err) }
	app.Commands = p.commands()
	app.Action = func(c *cli.Context) error {
		if c.Args().Present() {
			return noCommand("", c.Args().First(), app.Commands)
		}
		begin(app)
		return nil
	}
	for _, command := range app.Commands {
		p.prepare(command, nil, app.OnUsageError)
	}
	if p.Asked != nil {
		app.Action = completed
	}
	app.Description = "Exit codes: 0 done, 1 failed, 2 wrong use, 3 not found, 4 agent or store cannot be reached now, 5 doctor found something wrong."
	return app
}

// completed replaces the action of every command during completion, so that no
// command runs.
func completed(*cli.Context) error { return nil }

// prepare gives a command and its subcommands their error messages and completion, and refuses a model what only persons do.
// above are the commands that it is one of.
func (p *program) prepare(command *cli.Command, above []string, onUsageError cli.OnUsageErrorFunc) {
	path := append(slices.Clone(above), command.Name)
	command.OnUsageError = onUsageError
	command.HideHelpCommand = true
	if command.BashComplete == nil {
		command.BashComplete = p.Complete(nil, nil)
	}
	if len(command.Subcommands) > 0 && command.Action == nil {
		command.Action = func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(command.Name, c.Args().First(), command.Subcommands)
			}
			return cli.ShowSubcommandHelp(c)
		}
	}
	if action := command.Action; action != nil {
		command.Action = func(c *cli.Context) error {
			if verb, only := consent.Persons(append(slices.Clone(path), c.Args().Slice()...)); only {
				if err := p.OnlyPerson(verb); err != nil {
					return err
				}
			}
			return action(c)
		}
	}
	if p.Asked != nil {
		command.Action = completed
	}
	for _, sub := range command.Subcommands {
		p.prepare(sub, path, onUsageError)
	}
}
