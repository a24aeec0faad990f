package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// listCommand makes memory list.
func listCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the memories of a project",
		Description: described("The most important come first. Times are when each was last seen; * marks pinned ones.",
			"memory list --kind todo", "memory list --all", "memory list --archived --json"),
		Flags: []cli.Flag{
			projectFlag(), limitFlag(), allRowsFlag(), archivedFlag(), kindsFlag(),
			&cli.BoolFlag{Name: "user", Usage: "those in user scope, which apply to every project"},
			jsonFlag(),
		},
		Action: inProject(e, listOptionsOf, listMemories),
	}
}

// listOptions selects the memories to list.
type listOptions struct {
	sharedOptions
	kinds    []memory.Kind // none means all
	archived bool
	user     bool // the user's memories instead of the project's
	limit    int  // rows
}

func listOptionsOf(c *cli.Context) (o listOptions, err error) {
	o.sharedOptions, o.archived, o.user = sharedOptionsOf(c), c.Bool("archived"), c.Bool("user")
	if o.limit, err = limitOf(c); err != nil {
		return o, err
	}
	if c.Bool("all") {
		o.limit = everyRow
	}
	o.kinds, err = kindsOf(c)
	return o, err
}

func listMemories(ctx context.Context, e *environment, where project.Project, o listOptions) error {
	filter := memory.Filter{Project: where.Key, Kinds: o.kinds, Statuses: []memory.Status{memory.StatusActive}, Limit: o.limit}
	if o.archived {
		filter.Statuses = []memory.Status{memory.StatusArchived}
	}
	if o.user {
		filter.Project, filter.Scope = "", memory.ScopeUser
	}
	memories, err := agentapi.MethodMemories.Ask(ctx, e.Agent.Call, filter)
	if err != nil {
		return err
	}
	total, err := agentapi.MethodCount.Ask(ctx, e.Agent.Call, filter)
	if err != nil {
		return err
	}
	corrected, err := correctors(ctx, e, memories)
	if err != nil {
		return err
	}
	return e.Print(o.JSON, withSuccessors(memories, corrected), func(w io.Writer) {
		if len(memories) == 0 {
			_, _ = fmt.Fprintln(w, nothingListed(o, where.Name))
			return
		}
		correctedTable(e.Terminal, w, memories, corrected)
		if total > len(memories) {
			_, _ = fmt.Fprintln(w, e.Paint(terminal.Dim,
				fmt.Sprintf("%d of %d; --all or --limit N shows more", len(memories), total)))
		}
	})
}

func allRowsFlag() cli.Flag { return &cli.BoolFlag{Name: "all", Usage: "without a limit"} }

// nothingListed describes the filter of an empty list.
func nothingListed(o listOptions, project string) string {
	what, state := "nothing", "is remembered"
	if len(o.kinds) > 0 {
		what = "nothing of the kind " + joined(o.kinds, " or ")
	}
	if o.archived {
		state = "was archived"
	}
	if o.user {
		return what + " " + state + " for every project yet"
	}
	return what + " " + state + " of " + terminal.Printable(project) + " yet"
}
