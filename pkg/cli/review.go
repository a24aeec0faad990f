package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/quarantine"
)

// reviewCommand makes memory review.
func reviewCommand(e *environment) *cli.Command {
	one := func(name, usage string, decide decision) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: "ID...",
			Description: described("", "memory review "+name+" 3f9a1c"),
			Action:      action(e, decideOptionsOf(decide), decideAll),
		}
	}
	return &cli.Command{
		Name: "review", Usage: "decide about suspicious memories and contradictions",
		Description: described("Texts that you did not enter and that try to take over the model are in quarantine: they are not recalled until you accept them.",
			"memory review", "memory review accept 3f9a1c", "memory review reject 3f9a1c"),
		Flags: []cli.Flag{limitFlag()}, Action: action(e, reviewOptionsOf, showReview),
		Subcommands: []*cli.Command{
			one("accept", "release memories from quarantine", decision{memory.StatusActive, "released from the quarantine"}),
			one("reject", "archive memories; memory undo brings them back", decision{memory.StatusArchived, "dropped from the quarantine"}),
		},
	}
}

// reviewOptions limits the number of memories from rules that are listed.
type reviewOptions struct {
	limit int
}

func reviewOptionsOf(c *cli.Context) (o reviewOptions, err error) {
	if c.Args().Present() {
		return o, usagef("memory review has no %s: there are accept and reject",
			memory.Cut(terminal.Printable(c.Args().First()), 40))
	}
	o.limit, err = limitOf(c)
	return o, err
}

// reviewQueue is all that waits for a person's verdict.
type reviewQueue struct {
	Quarantined []quarantined      `json:"quarantined"`
	Rivals      []daemonapi.Rivals `json:"rivals"`
}

func showReview(ctx context.Context, e *environment, o reviewOptions) error {
	where, err := e.Project()
	if err != nil {
		return err
	}
	var waiting reviewQueue
	if waiting.Quarantined, err = quarantinedOf(ctx, e, where.Key); err != nil {
		return err
	}
	if waiting.Rivals, err = daemonapi.MethodRivals.Ask(ctx, e.Daemon.Call, daemonapi.OfProject{Project: where.Key, Limit: o.limit}); err != nil {
		return err
	}
	return e.Print(waiting, func(w io.Writer) { printReview(e, w, where.Name, waiting) })
}

// quarantined is a quarantined memory with the reasons.
type quarantined struct {
	memory.Memory
	Reasons []string `json:"reasons"`
}

// quarantinedOf lists the quarantined memories of a project and of the user.
func quarantinedOf(ctx context.Context, e *environment, project string) ([]quarantined, error) {
	all, isForModel := []quarantined{}, e.InModelsShell()
	for _, filter := range []memory.Filter{{Project: project}, {Scope: memory.ScopeUser}} {
		filter.Statuses, filter.Limit = []memory.Status{memory.StatusQuarantined}, everyRow
		found, err := daemonapi.MethodMemories.Ask(ctx, e.Daemon.Call, filter)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			reasons := quarantine.Judge(m.Content)
			if isForModel { // the texts may be made to take a model over
				m = memory.Memory{
					ID: m.ID, Project: m.Project, Scope: m.Scope, Kind: m.Kind, Status: m.Status, Source: m.Source,
					CreatedAt: m.CreatedAt, LastSeenAt: m.LastSeenAt, Content: "(the text is shown to a person only)",
				}
			}
			all = append(all, quarantined{m, reasons})
		}
	}
	return all, nil
}

func printReview(e *environment, w io.Writer, project string, q reviewQueue) {
	if len(q.Quarantined) > 0 {
		_, _ = io.WriteString(w, e.Header("ID", "SEEN", "KIND", "SOURCE", "WHY", "TEXT"))
		for _, s := range q.Quarantined {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n",
				e.Paint(terminal.Cyan, memory.ShortID(terminal.Printable(s.ID))), e.Ago(s.LastSeenAt),
				terminal.Printable(string(s.Kind)),
				sourceOf(s.Memory), cmp.Or(strings.Join(s.Reasons, ", "), "-"), terminal.Title(s.Content))
		}
		_, _ = fmt.Fprintln(w, e.Paint(terminal.Dim, "In quarantine: never recalled, unless you accept one"))
	}
	for _, r := range q.Rivals {
		memoryTable(e.Terminal, w, []memory.Memory{r.Newer, r.Older})
		_, _ = fmt.Fprintln(w, e.Paint(terminal.Dim, fmt.Sprintf("These two differ in a value; a start has the newer alone. If the newer holds: memory forget %s --reason outdated. If the older: memory forget %s --reason wrong. If both: memory edit %[1]s --pin",
			memory.ShortID(r.Older.ID), memory.ShortID(r.Newer.ID))))
	}
	if len(q.Quarantined)+len(q.Rivals) == 0 {
		_, _ = fmt.Fprintf(w, "nothing of %s waits for a verdict\n", terminal.Printable(project))
	}
}

// decision is a person's verdict on memories in quarantine.
type decision struct {
	status memory.Status
	reason string
}

// decideOptions name the memories of a verdict.
type decideOptions struct {
	ids    []string
	decide decision
}

func decideOptionsOf(decide decision) func(*cli.Context) (decideOptions, error) {
	return func(c *cli.Context) (decideOptions, error) {
		ids, err := someIDs(c)
		return decideOptions{ids, decide}, err
	}
}

func decideAll(ctx context.Context, e *environment, o decideOptions) error {
	where, err := e.Project()
	if err != nil {
		return err
	}
	chosen, err := memoriesOf(ctx, e, where, o.ids)
	if err != nil {
		return err
	}
	for _, m := range chosen {
		if m.Status != memory.StatusQuarantined {
			return fmt.Errorf("memory %s is %s and not in quarantine, and nothing was decided; memory forget %[1]s --reason WHY archives it: %[3]w", memory.ShortID(m.ID), m.Status, memory.ErrInvalid)
		}
	}
	results := []daemonapi.AmendResult{}
	for _, m := range chosen {
		now := e.Now()
		change := memory.Change{
			ID: memory.NewEventID(now), At: now.UTC(), By: e.By(), Status: o.decide.status, Reason: o.decide.reason,
		}
		var result daemonapi.AmendResult
		if err := e.Daemon.Call(ctx, daemonapi.MethodAmend.Call(daemonapi.AmendParams{
			Project: where.Key, ID: m.ID,
			Change: change,
		}, &result)); err != nil {
			return err
		}
		results = append(results, result)
	}
	return e.Print(results, func(w io.Writer) {
		for _, result := range results {
			memoryLine(e.Terminal, w, result.After)
		}
		_, _ = fmt.Fprintln(w, terminal.Counted(len(results), "verdict"))
	})
}
