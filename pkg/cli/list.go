package cli

import (
	"cmp"
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

func listCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the memories of a project, or those that contain a word", ArgsUsage: "[WORDS]",
		Description: described("The most important come first. SEEN is the last time that a session stated or showed the memory; * marks pinned memories.",
			"memory list --kind todo", "memory list --limit 0", "memory list --archived --json", "memory list --kind decision database", "memory list --events"),
		Flags: []cli.Flag{
			limitFlag(), kindsFlag(),
			&cli.BoolFlag{Name: "archived", Usage: "archived memories instead"},
			&cli.BoolFlag{Name: "user", Usage: "memories of the scope user, which apply to every project"},
			&cli.BoolFlag{Name: "again", Usage: "only what you had to say again in a later session, the latest first"},
			&cli.BoolFlag{Name: "events", Usage: "the events of the last sessions instead: edits, commands, failures, ends of turns; the latest first"},
		},
		Action: inProject(e, listMemories),
	}
}

// listEvents lists what happened in the last sessions of a project.
func listEvents(ctx context.Context, e *environment, where project.Project, limit int) error {
	sessions, err := daemonapi.MethodSessions.Ask(ctx, e.Daemon.Call, daemonapi.SessionsParams{Project: where.Key, Limit: limit})
	if err != nil {
		return err
	}
	events := []memory.SessionEvent{}
	for _, s := range sessions {
		if len(events) >= limit {
			break
		}
		record, err := daemonapi.MethodSession.Ask(ctx, e.Daemon.Call, s.ID)
		if err != nil {
			return err
		}
		events = append(events, record.SessionEvents...)
	}
	slices.SortStableFunc(events, func(x, y memory.SessionEvent) int { return y.At.Compare(x.At) })
	events, _ = cut(events, limit)
	return e.Print(events, func(w io.Writer) {
		if len(events) == 0 {
			_, _ = fmt.Fprintf(w, "no events of %s are stored; events.keep_days limits how long they are kept\n", terminal.Printable(where.Name))
			return
		}
		_, _ = io.WriteString(w, "SESSION\tSEEN\tEVENT\tTEXT\n")
		for _, one := range events {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", shortSession(one.Session), e.Ago(one.At),
				terminal.Printable(string(one.Kind)), terminal.Printable(memory.CutWords(memory.OneLine(one.Text), longestEvent)))
		}
	})
}

// longestEvent is the maximum number of bytes shown of an event's text.
const longestEvent = 160

func listMemories(c *cli.Context, e *environment, where project.Project) error {
	ctx, archived, user := c.Context, c.Bool("archived"), c.Bool("user")
	events, again := c.Bool("events"), c.Bool("again")
	words, err := questionOf(c)
	limit, limitErr := limitOf(c)
	kinds, kindsErr := kindsOf(c)
	if err := cmp.Or(err, limitErr, kindsErr); err != nil {
		return err
	}
	isFiltered := archived || user || words != ""
	switch {
	case events && (isFiltered || len(kinds) > 0):
		return usagef("--events takes no WORDS, no --archived, --user or --kind")
	case again && (isFiltered || events):
		return usagef("--again lists the memories of a project: leave WORDS, --archived, --user and --events out")
	case user && words != "":
		return usagef("words are searched for in the project and in the scope user: leave --user out")
	case events:
		return listEvents(ctx, e, where, limit)
	case again:
		return listRepeated(ctx, e, where, limit)
	case words != "":
		return searchMemories(ctx, e, limit, daemonapi.FindParams{Project: where.Key, Text: words, Kinds: kinds, Archived: archived, Words: true})
	}
	filter := memory.Filter{Project: where.Key, Kinds: kinds, Statuses: []memory.Status{memory.StatusActive}, Limit: limit + 1}
	if archived {
		filter.Statuses = []memory.Status{memory.StatusArchived}
	}
	if user {
		filter.Project, filter.Scope = "", memory.ScopeUser
	}
	memories, err := daemonapi.MethodMemories.Ask(ctx, e.Daemon.Call, filter)
	if err != nil {
		return err
	}
	return printListed(e, memories, limit, nothingListed(filter, where.Name))
}

// printListed prints at most limit memories, or the text none if there are none.
func printListed(e *environment, all []daemonapi.Listed, limit int, none string) error {
	shown, isCut := cut(all, limit)
	return e.Print(shown, func(w io.Writer) {
		if len(shown) == 0 {
			_, _ = fmt.Fprintln(w, none)
			return
		}
		memoryTable(e.Terminal, w, shown)
		moreLine(w, isCut)
	})
}

// listRepeated lists what the user had to repeat in a project.
func listRepeated(ctx context.Context, e *environment, where project.Project, limit int) error {
	found, err := daemonapi.MethodList.Ask(ctx, e.Daemon.Call, daemonapi.ListParams{Project: where.Key, Tag: memory.TagRepeated, Limit: limit + 1})
	if err != nil {
		return err
	}
	rows := memory.Each(found.Memories, func(m memory.Memory) daemonapi.Listed { return daemonapi.Listed{Memory: m} })
	return printListed(e, rows, limit, "you did not have to repeat anything in "+terminal.Printable(where.Name))
}

// mostFound is the maximum number of memories that the daemon returns.
const mostFound = 100

// searchMemories lists the memories that contain one of the words, the best first.
func searchMemories(ctx context.Context, e *environment, limit int, params daemonapi.FindParams) error {
	params.Limit = max(limit, mostFound)
	hits, err := daemonapi.MethodFind.Ask(ctx, e.Daemon.Call, params)
	if err != nil {
		return err
	}
	found := memory.Each(hits, func(hit memory.Hit) daemonapi.Listed { return daemonapi.Listed{Memory: hit.Memory} })
	return printListed(e, found, limit, "nothing stored has these words")
}

// nothingListed returns the message for an empty list, with its filters.
func nothingListed(filter memory.Filter, project string) string {
	what, state, of := "nothing", "is remembered", "of "+terminal.Printable(project)
	if len(filter.Kinds) > 0 {
		what = "nothing of the kind " + joined(filter.Kinds, " or ")
	}
	if filter.Statuses[0] == memory.StatusArchived {
		state = "was archived"
	}
	if filter.Scope == memory.ScopeUser {
		of = "for every project"
	}
	return what + " " + state + " " + of + " yet"
}
