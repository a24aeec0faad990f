package main

import (
	"github.com/urfave/cli/v2"
)

// commands lists what memory can do, one line each, in the order of the help.
// What a command does stands in the file of its group.
func (p *program) commands() []*cli.Command {
	return []*cli.Command{
		p.rememberCommand(),
		p.recallCommand(),
		p.searchCommand(),
		p.listCommand(),
		p.showCommand(),
		p.editCommand(),
		p.pinCommand(),
		p.unpinCommand(),
		p.tagCommand(),
		p.promoteCommand(),
		p.forgetCommand(),
		p.restoreCommand(),
		p.timelineCommand(),
		p.sessionsCommand(),
		p.projectsCommand(),
		p.explainCommand(),
		p.contextCommand(),
		p.consolidateCommand(),
		p.runsCommand(),
		p.undoCommand(),
		p.statusCommand(),
		p.doctorCommand(),
		p.agentCommand(),
		p.configCommand(),
		p.purgeCommand(),
		p.importCommand(),
		p.exportCommand(),
		p.backupCommand(),
		p.rebuildCommand(),
		p.completionCommand(),
	}
}

// The flags that several commands share.

func jsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

func projectFlag() cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "`DIR` of the project", DefaultText: "this directory"}
}

func limitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Usage: "at most `N` rows", Value: 20}
}
