package correct

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/input"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/rows"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
)

// suspect is a quarantined memory with the reasons.
type suspect struct {
	memory.Memory
	Reasons []string `json:"reasons"`
}

// Quarantine makes memory quarantine.
func Quarantine(e *command.Env) *cli.Command {
	one := func(name, usage string, change memory.Change) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: "ID", Description: command.Described("", "memory quarantine "+name+" 3f9a1c"),
			BashComplete: e.Complete(e.IDs(memory.StatusQuarantined, false), nil),
			Flags:        []cli.Flag{command.ReasonFlag("`WHY`"), command.ProjectFlag(), command.JSONFlag()},
			Action:       command.InProject(e, decisionOf(change), decide),
		}
	}
	return &cli.Command{
		Name: "quarantine", Usage: "list blatant attempts to take over that you never entered",
		Description: command.Described("Such text of a tool, a page, a report or the assistant is not recalled until you release it.",
			"memory quarantine", "memory quarantine release 3f9a1c", "memory quarantine drop 3f9a1c"),
		Flags: []cli.Flag{command.ProjectFlag(), command.JSONFlag()}, Action: command.InProject(e, quarantineOptionsOf, listQuarantine),
		Subcommands: []*cli.Command{
			one("release", "allow one to be recalled like others of its source", memory.Change{Status: memory.StatusActive}),
			one("drop", "archive one; memory undo takes that back", memory.Change{Status: memory.StatusArchived, Reason: "dropped from the quarantine"}),
		},
	}
}

// held lists the quarantined memories of a project and of the user.
func held(ctx context.Context, e *command.Env, project string) ([]suspect, error) {
	suspects := []suspect{}
	for _, filter := range []memory.Filter{{Project: project}, {Scope: memory.ScopeUser}} {
		filter.Statuses, filter.Limit = []memory.Status{memory.StatusQuarantined}, command.EveryRow
		found, err := agentapi.MethodMemories.Ask(ctx, e.Agent.Call, filter)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			suspects = append(suspects, suspect{m, quarantine.Judge(m.Content)})
		}
	}
	return suspects, nil
}

func quarantineOptionsOf(c *cli.Context) (command.Shared, error) {
	o := command.SharedOf(c)
	if c.Args().Present() {
		return o, command.Usagef("memory quarantine has no %s: there are release and drop", memory.Cut(terminal.Printable(c.Args().First()), 40))
	}
	return o, nil
}

func listQuarantine(ctx context.Context, e *command.Env, where project.Project, o command.Shared) error {
	suspects, err := held(ctx, e, where.Key)
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, suspects, func(w io.Writer) {
		if len(suspects) == 0 {
			_, _ = fmt.Fprintf(w, "nothing of %s is in quarantine\n", terminal.Printable(where.Name))
			return
		}
		_, _ = io.WriteString(w, e.Header("ID", "SEEN", "KIND", "SOURCE", "WHY", "TEXT"))
		for _, s := range suspects {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", e.Paint(terminal.Cyan, memory.ShortID(terminal.Printable(s.ID))), e.Ago(s.LastSeenAt), terminal.Printable(string(s.Kind)),
				rows.Source(s.Memory), cmp.Or(strings.Join(s.Reasons, ", "), "-"), terminal.Title(s.Content))
		}
	})
}

// decisionOf reads of which memory a decision is.
func decisionOf(change memory.Change) func(*cli.Context) (changeOptions, error) {
	return func(c *cli.Context) (changeOptions, error) {
		id, err := input.OnlyID(c)
		return changeOptions{Shared: command.SharedOf(c), id: id, reason: c.String("reason"), change: change}, err
	}
}

// decide releases or drops a quarantined memory. Its text may ask a model to release
// it, so only a person can, outside of the model's shell.
func decide(ctx context.Context, e *command.Env, where project.Project, o changeOptions) error {
	suspects, err := held(ctx, e, where.Key)
	if err != nil {
		return err
	}
	for _, s := range suspects {
		if strings.HasPrefix(s.ID, o.id) {
			return amend(ctx, e, where, o)
		}
	}
	return fmt.Errorf("nothing in the quarantine of %s has the id %s: %w; memory quarantine lists it", terminal.Printable(where.Name), o.id, memory.ErrNotFound)
}
