package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
)

// suspect is a memory that is held back, with the reasons.
type suspect struct {
	memory.Memory
	Reasons []string `json:"reasons"`
}

func (p *program) quarantineCommand() *cli.Command {
	one := func(name, usage string, change memory.Change) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: "ID", Description: described("", "memory quarantine "+name+" 3f9a1c"),
			BashComplete: p.completeWith(p.heldIDs()),
			Flags:        []cli.Flag{reasonFlag("`WHY`"), projectFlag(), jsonFlag()},
			Action:       func(c *cli.Context) error { return p.decide(c, change) },
		}
	}
	return &cli.Command{
		Name: "quarantine", Usage: "list what reads like an instruction that you never gave",
		Description: described("What a tool, a page, a report or the assistant said, and reads like an instruction, is told to nobody until you release it.",
			"memory quarantine", "memory quarantine release 3f9a1c", "memory quarantine drop 3f9a1c"),
		Flags: []cli.Flag{projectFlag(), jsonFlag()}, Action: p.quarantine,
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list it, with the reasons", Description: described("", "memory quarantine list"),
				Flags: []cli.Flag{projectFlag(), jsonFlag()}, Action: p.quarantine,
			},
			one("release", "let one be told like any other of its source", memory.Change{Status: memory.StatusActive}),
			one("drop", "put one away for good; memory undo takes that back", memory.Change{Status: memory.StatusArchived, Reason: "dropped from the quarantine"}),
		},
	}
}

// held lists what is quarantined of a project and of the user.
func (p *program) held(c *cli.Context, project string) ([]suspect, error) {
	statuses := []memory.Status{memory.StatusQuarantined}
	var all, every []memory.Memory
	err := errors.Join(
		p.call(c.Context, agentapi.MethodMemories, memory.Filter{Project: project, Statuses: statuses, Limit: everyRow}, &all),
		// What is the user's has no project, for which a filter cannot ask.
		p.call(c.Context, agentapi.MethodMemories, memory.Filter{Statuses: statuses, Limit: everyRow}, &every),
	)
	for _, m := range every {
		if m.Project == "" {
			all = append(all, m)
		}
	}
	suspects := []suspect{}
	for _, m := range all {
		suspects = append(suspects, suspect{m, quarantine.Judge(m.Content)})
	}
	return suspects, err
}

func (p *program) quarantine(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("there is no memory quarantine %s; there are release and drop", memory.Cut(printable(c.Args().First()), 40))
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	suspects, err := p.held(c, where.Key)
	if err != nil {
		return err
	}
	return p.print(c, suspects, func(w io.Writer) {
		if len(suspects) == 0 {
			_, _ = fmt.Fprintf(w, "nothing of %s is in quarantine\n", printable(where.Name))
			return
		}
		_, _ = io.WriteString(w, p.header("ID", "SEEN", "KIND", "SOURCE", "WHY", "TEXT"))
		for _, s := range suspects {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", p.paint(cyan, memory.ShortID(printable(s.ID))), p.ago(s.LastSeenAt), printable(string(s.Kind)),
				sourceOf(s.Memory), cmp.Or(strings.Join(s.Reasons, ", "), "-"), title(s.Content))
		}
	})
}

// decide releases or drops what is in quarantine. The text itself may ask a model
// to release it, so that is done by a person, outside of the model's shell.
func (p *program) decide(c *cli.Context, change memory.Change) error {
	id, err := onlyID(c)
	if err != nil {
		return err
	}
	if p.inModelsShell() {
		return errors.New("this is Claude's shell: only a person decides about the quarantine; run memory quarantine in a terminal of your own")
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	suspects, err := p.held(c, where.Key)
	if err != nil {
		return err
	}
	for _, s := range suspects {
		if strings.HasPrefix(s.ID, id) {
			return p.amend(c, id, change)
		}
	}
	return fmt.Errorf("nothing in the quarantine of %s has the id %s: %w; memory quarantine lists it", printable(where.Name), id, memory.ErrNotFound)
}

// inModelsShell tells whether Claude runs this program: then what it is told is the
// model's and not a person's.
func (p *program) inModelsShell() bool {
	return p.getenv("CLAUDECODE") != ""
}

// by is who asks for a change.
func (p *program) by() string {
	if p.inModelsShell() {
		return "cli of the assistant"
	}
	return memory.ByPerson
}
