package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// listCommand makes memory list.
func listCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the memories of a project",
		Description: described("The most important come first. A memory's time is when it was last seen; * marks pinned memories.",
			"memory list --kind todo", "memory list --all", "memory list --archived --json", "memory list --events"),
		Flags: []cli.Flag{
			limitFlag(), allRowsFlag(), archivedFlag(), kindsFlag(),
			&cli.BoolFlag{Name: "user", Usage: "memories of the scope user, which apply to every project"},
			&cli.BoolFlag{Name: "events", Usage: "the events of the last sessions instead: edits, commands, failures, ends of turns; the latest first"},
		},
		Action: inProject(e, listOptionsOf, listMemories),
	}
}

// listOptions selects the memories to list.
type listOptions struct {
	kinds    []memory.Kind // none means all
	archived bool
	user     bool // the user's memories instead of the project's
	events   bool // the events of sessions instead
	limit    int  // rows
}

func listOptionsOf(c *cli.Context) (o listOptions, err error) {
	o.archived, o.user = c.Bool("archived"), c.Bool("user")
	if o.events = c.Bool("events"); o.events && (o.archived || o.user || c.IsSet("kind")) {
		return o, usagef("--events lists no memories: leave --archived, --user and --kind out")
	}
	if o.limit, err = limitOf(c); err != nil {
		return o, err
	}
	if c.Bool("all") {
		o.limit = everyRow
	}
	o.kinds, err = kindsOf(c)
	return o, err
}

// listEvents lists what happened in the last sessions of a project.
func listEvents(ctx context.Context, e *environment, where project.Project, o listOptions) error {
	sessions, err := daemonapi.MethodSessions.Ask(ctx, e.Daemon.Call, daemonapi.SessionsParams{Project: where.Key, Limit: o.limit})
	if err != nil {
		return err
	}
	events := []memory.SessionEvent{}
	for _, s := range sessions {
		if len(events) >= o.limit {
			break
		}
		record, err := daemonapi.MethodSession.Ask(ctx, e.Daemon.Call, s.ID)
		if err != nil {
			return err
		}
		events = append(events, record.SessionEvents...)
	}
	slices.SortStableFunc(events, func(x, y memory.SessionEvent) int { return y.At.Compare(x.At) })
	events = events[:min(o.limit, len(events))]
	return e.Print(events, func(w io.Writer) {
		if len(events) == 0 {
			_, _ = fmt.Fprintf(w, "no event of a session of %s is kept\n", terminal.Printable(where.Name))
			return
		}
		_, _ = io.WriteString(w, e.Header("SESSION", "SEEN", "EVENT", "TEXT"))
		for _, one := range events {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Paint(terminal.Cyan, shortSession(one.Session)), e.Ago(one.At),
				terminal.Printable(string(one.Kind)), terminal.Printable(memory.CutWords(memory.OneLine(one.Text), longestEvent)))
		}
	})
}

func withSuccessors(memories []memory.Memory, corrected map[string]string) []withSuccessor {
	all := make([]withSuccessor, len(memories))
	for i, m := range memories {
		all[i] = withSuccessor{m, corrected[m.ID]}
	}
	return all
}

// correctors are the ids of the memories that corrected others, by the ids of these.
func correctors(ctx context.Context, e *environment, memories []memory.Memory) (map[string]string, error) {
	ids := make([]string, len(memories))
	for i, m := range memories {
		ids[i] = m.ID
	}
	return daemonapi.MethodCorrected.Ask(ctx, e.Daemon.Call, ids)
}

// longestEvent is the most bytes of an event's text in a list.
const longestEvent = 160

func listMemories(ctx context.Context, e *environment, where project.Project, o listOptions) error {
	if o.events {
		return listEvents(ctx, e, where, o)
	}
	filter := memory.Filter{Project: where.Key, Kinds: o.kinds, Statuses: []memory.Status{memory.StatusActive}, Limit: o.limit}
	if o.archived {
		filter.Statuses = []memory.Status{memory.StatusArchived}
	}
	if o.user {
		filter.Project, filter.Scope = "", memory.ScopeUser
	}
	memories, err := daemonapi.MethodMemories.Ask(ctx, e.Daemon.Call, filter)
	if err != nil {
		return err
	}
	total, err := daemonapi.MethodCount.Ask(ctx, e.Daemon.Call, filter)
	if err != nil {
		return err
	}
	corrected, err := correctors(ctx, e, memories)
	if err != nil {
		return err
	}
	return e.Print(withSuccessors(memories, corrected), func(w io.Writer) {
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
