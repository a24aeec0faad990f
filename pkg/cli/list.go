package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func listCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the memories of a project, or those that contain a word", ArgsUsage: "[WORDS]",
		Description: described("The most important come first. A memory's time is when it was last seen; * marks pinned memories.",
			"memory list --kind todo", "memory list --limit 0", "memory list --archived --json", "memory list --kind decision database", "memory list --events"),
		Flags: []cli.Flag{
			limitFlag(), kindsFlag(),
			&cli.BoolFlag{Name: "archived", Usage: "archived memories instead"},
			&cli.BoolFlag{Name: "user", Usage: "memories of the scope user, which apply to every project"},
			&cli.BoolFlag{Name: "review", Usage: "what waits for your decision: texts in quarantine, because they try to control the model and are not yours, and pairs of facts that differ in a value"},
			&cli.BoolFlag{Name: "again", Usage: "what you had to say again, the latest first"},
			&cli.BoolFlag{Name: "events", Usage: "the events of the last sessions instead: edits, commands, failures, ends of turns; the latest first"},
		},
		Action: inProject(e, listMemories),
	}
}

// listOptions selects the memories to list.
type listOptions struct {
	words    string        // words of which a memory must contain one; empty for all memories
	kinds    []memory.Kind // empty: all kinds
	archived bool
	user     bool // the user's memories instead of the project's
	again    bool // memories that the user had to repeat
	events   bool // events of sessions instead of memories
	review   bool // memories that wait for a person's decision
	limit    int  // rows
}

func listOptionsOf(c *cli.Context) (o listOptions, err error) {
	o.archived, o.user, o.again = c.Bool("archived"), c.Bool("user"), c.Bool("again")
	if o.words, err = questionOf(c); err != nil {
		return o, err
	}
	o.events, o.review = c.Bool("events"), c.Bool("review")
	if (o.events || o.review) && (o.events && o.review || o.archived || o.user || c.IsSet("kind") || o.words != "") {
		return o, usagef("--events and --review take no WORDS, no --archived, --user or --kind, and not each other")
	}
	if o.again && (o.archived || o.user || o.events || o.review || o.words != "") {
		return o, usagef("--again lists the memories of a project: leave WORDS, --archived, --user and --events out")
	}
	if o.user && o.words != "" {
		return o, usagef("words are searched for in the project and in the scope user: leave --user out")
	}
	if o.limit, err = limitOf(c); err != nil {
		return o, err
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
			_, _ = fmt.Fprintf(w, "no events of %s are stored; events.keep_days limits how long they are kept\n", terminal.Printable(where.Name))
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

// correctors maps the ids of corrected memories to the ids of the memories that corrected them.
func correctors(ctx context.Context, e *environment, memories []memory.Memory) (map[string]string, error) {
	ids := make([]string, len(memories))
	for i, m := range memories {
		ids[i] = m.ID
	}
	return daemonapi.MethodCorrected.Ask(ctx, e.Daemon.Call, ids)
}

// longestEvent is the maximum number of bytes shown of an event's text.
const longestEvent = 160

func listMemories(c *cli.Context, e *environment, where project.Project) error {
	ctx := c.Context
	o, err := listOptionsOf(c)
	if err != nil {
		return err
	}
	switch {
	case o.events:
		return listEvents(ctx, e, where, o)
	case o.review:
		return listReview(ctx, e, where, o.limit)
	case o.again:
		return listRepeated(ctx, e, where, o)
	case o.words != "":
		return searchMemories(ctx, e, where, o)
	}
	filter := memory.Filter{Project: where.Key, Kinds: o.kinds, Statuses: []memory.Status{memory.StatusActive}, Limit: o.limit + 1}
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
	memories, isCut := cut(memories, o.limit)
	corrected, err := correctors(ctx, e, memories)
	if err != nil {
		return err
	}
	return e.Print(withSuccessors(memories, corrected), func(w io.Writer) {
		if len(memories) == 0 {
			_, _ = fmt.Fprintln(w, nothingListed(o, where.Name))
			return
		}
		memoryTable(e.Terminal, w, memories, corrected)
		moreLine(e.Terminal, w, isCut)
	})
}

// listRepeated lists what the user had to repeat in a project.
func listRepeated(ctx context.Context, e *environment, where project.Project, o listOptions) error {
	return show(ctx, e, daemonapi.MethodList, repeatedIn(where, o.limit), func(w io.Writer, found daemonapi.ListResult) {
		if len(found.Memories) == 0 {
			_, _ = fmt.Fprintf(w, "you did not have to repeat anything in %s\n", terminal.Printable(where.Name))
			return
		}
		memoryTable(e.Terminal, w, found.Memories, nil)
		moreLine(e.Terminal, w, found.Left > 0)
	})
}

func repeatedIn(where project.Project, limit int) daemonapi.ListParams {
	return daemonapi.ListParams{Project: where.Key, Tag: memory.TagRepeated, Limit: limit}
}

// meteredSessions is the number of a project's last sessions in which repetitions are counted.
const meteredSessions = 100

// repeatsOf returns how often the user had to repeat something in the last sessions of a project, by month.
func repeatsOf(ctx context.Context, e *environment, where project.Project) ([]memory.Repeats, error) {
	found, err := daemonapi.MethodList.Ask(ctx, e.Daemon.Call, repeatedIn(where, mostFound))
	if err != nil || len(found.Memories) == 0 {
		return nil, err
	}
	sessions, err := daemonapi.MethodSessions.Ask(ctx, e.Daemon.Call, daemonapi.SessionsParams{Project: where.Key, Limit: meteredSessions})
	return memory.RepeatsByMonth(found.Memories, sessions), err
}

// repeatsLine returns the repetitions as text, in total and by month.
func repeatsLine(months []memory.Repeats) string {
	times, sessions, by := 0, 0, make([]string, len(months))
	for i, month := range months {
		times, sessions = times+month.Times, sessions+month.Sessions
		by[i] = fmt.Sprintf("%s: %d in %d", month.Month, month.Times, month.Sessions)
	}
	return fmt.Sprintf("%s in the last %s here (%s): memory list --again", terminal.Counted(times, "time"), terminal.Counted(sessions, "session"), strings.Join(by, ", "))
}

// mostFound is the maximum number of memories that the daemon returns.
const mostFound = 100

// searchMemories lists the memories that contain one of the words, the best first.
func searchMemories(ctx context.Context, e *environment, where project.Project, o listOptions) error {
	hits, err := daemonapi.MethodFind.Ask(ctx, e.Daemon.Call, daemonapi.FindParams{
		Project: where.Key, Text: o.words, Kinds: o.kinds, Archived: o.archived, Words: true, Limit: max(o.limit, mostFound),
	})
	if err != nil {
		return err
	}
	hits, isCut := cut(hits, o.limit)
	found := []memory.Memory{}
	for _, h := range hits {
		found = append(found, h.Memory)
	}
	return e.Print(found, func(w io.Writer) {
		if len(found) == 0 {
			_, _ = fmt.Fprintln(w, "nothing stored has these words")
			return
		}
		memoryTable(e.Terminal, w, found, nil)
		moreLine(e.Terminal, w, isCut)
	})
}

// nothingListed returns the message for an empty list, with its filters.
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
