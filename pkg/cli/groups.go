package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
)

type program struct{ environment }

// group is a set of commands under one heading of the help.
type group struct {
	name     string
	commands []*cli.Command
}

// groups returns the commands of memory, in the order of the help and of docs/cli.md. A new command is one more line in its
// group; first see whether an existing command can do it. Its description must end with an example (see described).
func (p *program) groups() []group {
	e := &p.environment
	return []group{
		{"Use", []*cli.Command{
			rememberCommand(e),
			recallCommand(e),
			listCommand(e),
			showCommand(e),
			editCommand(e),
			forgetCommand(e),
			restoreCommand(e),
			ruleCommand(e),
			openCommand(e),
		}},
		{"Look", []*cli.Command{
			sessionsCommand(e),
			statusCommand(e),
			doctorCommand(e),
		}},
		{"Exchange", []*cli.Command{
			syncCommand(e),
			projectsCommand(e),
			importCommand(e),
			exportCommand(e),
		}},
		{"Maintain", []*cli.Command{
			undoCommand(e),
			distillCommand(e),
			backupCommand(e),
			purgeCommand(e),
			configCommand(e),
			setupCommand(e),
			daemonCommand(e),
		}},
	}
}

func (p *program) commands() []*cli.Command {
	var all []*cli.Command
	for _, group := range p.groups() {
		for _, command := range group.commands {
			command.Category = group.name
		}
		all = append(all, group.commands...)
	}
	return all
}

func (p *program) app() *cli.App {
	app := cli.NewApp()
	app.Name = "memory"
	app.Usage = "what Claude Code remembers"
	app.Version = p.Version
	app.Writer, app.ErrWriter = p.Out, p.Err
	app.Flags = sharedFlags()
	app.Before = func(c *cli.Context) error {
		p.JSON, p.Dir = c.Bool("json"), c.String("project")
		if info, err := os.Stat(p.Dir); c.IsSet("project") && (err != nil || !info.IsDir()) {
			return usagef("--project %q is not a directory", p.Dir)
		}
		return nil
	}
	app.ExitErrHandler = func(*cli.Context, error) {} // exitCode handles errors
	app.OnUsageError = func(c *cli.Context, err error, _ bool) error { return flagError(c, err) }
	app.Commands = p.commands()
	app.Action = func(c *cli.Context) error {
		if c.Args().Present() {
			return noCommand("", c.Args().First(), app.Commands)
		}
		return cli.ShowAppHelp(c)
	}
	for _, command := range app.Commands {
		p.prepare(command, nil, app.OnUsageError)
	}
	app.Description = "memory COMMAND --help describes a command and has examples.\n\nExit codes: 0 done, 1 failed, 2 wrong use, 3 not found, 4 daemon or store cannot be reached now, 5 doctor found something wrong."
	return app
}

// prepare adds error messages to a command and its subcommands. Commands for persons then fail when a model runs them, and
// commands that show what is remembered fail where memory is off. above are the names of its parent commands.
func (p *program) prepare(command *cli.Command, above []string, onUsageError cli.OnUsageErrorFunc) {
	path := append(slices.Clone(above), command.Name)
	command.OnUsageError = onUsageError
	command.HideHelpCommand = true
	command.CustomHelpTemplate = cli.CommandHelpTemplate
	if len(command.Subcommands) > 0 {
		command.CustomHelpTemplate = cli.SubcommandHelpTemplate
	}
	command.CustomHelpTemplate += "\nEvery command takes --json and --project DIR, too.\n"
	isGroup := len(command.Subcommands) > 0 && command.Action == nil
	if isGroup {
		command.Action = func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(strings.Join(path, " "), c.Args().First(), command.Subcommands)
			}
			return cli.ShowSubcommandHelp(c)
		}
	}
	if action := command.Action; action != nil {
		command.Action = func(c *cli.Context) error {
			if err := checkArguments(c); err != nil && !isGroup {
				return err
			}
			given := slices.Clone(path)
			for _, flag := range c.LocalFlagNames() { // flags that are set
				given = append(given, "--"+flag)
			}
			if verb, only := consent.NeedsPerson(append(append(given, "--"), c.Args().Slice()...)); only {
				if err := p.OnlyPerson(verb); err != nil {
					return err
				}
			}
			if isGroup {
				return action(c)
			}
			if err := p.Silenced(c, path); err != nil {
				return err
			}
			return action(c)
		}
	}
	for _, sub := range command.Subcommands {
		p.prepare(sub, path, onUsageError)
	}
}
