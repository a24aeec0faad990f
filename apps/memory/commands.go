package main

import (
	"github.com/urfave/cli/v2"
)

// group is a set of commands that belong together: the help shows them under one
// heading.
type group struct {
	name     string
	commands []*cli.Command
}

// groups lists what memory can do, in the order of the help and of docs/cli.md. A
// new command is one more line of its group; what it does stands in the file of
// the group. Its description ends in an example (see described).
func (p *program) groups() []group {
	return []group{
		{"Keep and find", []*cli.Command{
			p.rememberCommand(),
			p.recallCommand(),
			p.searchCommand(),
			p.listCommand(),
			p.showCommand(),
			p.timelineCommand(),
			p.sessionsCommand(),
		}},
		{"Correct", []*cli.Command{
			p.editCommand(),
			p.pinCommand(),
			p.unpinCommand(),
			p.tagCommand(),
			p.promoteCommand(),
			p.forgetCommand(),
			p.restoreCommand(),
			p.quarantineCommand(),
		}},
		{"Understand", []*cli.Command{
			p.explainCommand(),
			p.contextCommand(),
			p.statusCommand(),
			p.doctorCommand(),
		}},
		{"Projects and settings", []*cli.Command{
			p.projectsCommand(),
			p.configCommand(),
		}},
		{"Maintenance", []*cli.Command{
			p.consolidateCommand(),
			p.runsCommand(),
			p.undoCommand(),
			p.agentCommand(),
			p.engineCommand(),
		}},
		{"Move and back up", []*cli.Command{
			p.importCommand(),
			p.exportCommand(),
			p.backupCommand(),
			p.rebuildCommand(),
			p.redactCommand(),
			p.purgeCommand(),
		}},
		{"This program", []*cli.Command{
			p.installCommand(),
			p.completionCommand(),
			p.manCommand(),
		}},
	}
}

// commands lists the commands of all groups.
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

// The flags that several commands share.

func jsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

func projectFlag() cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "`DIR` of the project", DefaultText: "this directory"}
}

// defaultLimit is how many rows a list has unless somebody asks for more.
const defaultLimit = 20

func limitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Usage: "at most `N` rows", Value: defaultLimit}
}
