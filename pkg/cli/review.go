package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/quarantine"
)

// reviewQueue has everything that waits for a person's decision.
type reviewQueue struct {
	Quarantined []quarantined      `json:"quarantined"`
	Rivals      []daemonapi.Rivals `json:"rivals"`
}

func listReview(ctx context.Context, e *environment, where project.Project, limit int) (err error) {
	var waiting reviewQueue
	if waiting.Quarantined, err = quarantinedOf(ctx, e, where.Key); err != nil {
		return err
	}
	if waiting.Rivals, err = daemonapi.MethodRivals.Ask(ctx, e.Daemon.Call, daemonapi.OfProject{Project: where.Key, Limit: limit}); err != nil {
		return err
	}
	return e.Print(waiting, func(w io.Writer) { printReview(e, w, where.Name, waiting) })
}

// quarantined is a quarantined memory with the reasons for its quarantine.
type quarantined struct {
	memory.Memory
	Reasons []string `json:"reasons"`
}

// quarantinedOf returns the quarantined memories of a project and of the user, for a model without their texts.
func quarantinedOf(ctx context.Context, e *environment, project string) ([]quarantined, error) {
	all, isForModel := []quarantined{}, e.InModelsShell()
	for _, filter := range []memory.Filter{{Project: project}, {Scope: memory.ScopeUser}} {
		filter.Statuses, filter.Limit = []memory.Status{memory.StatusQuarantined}, everyRow
		found, err := daemonapi.MethodMemories.Ask(ctx, e.Daemon.Call, filter)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			reasons := quarantine.Reasons(m.Content)
			if isForModel { // the text may be meant to manipulate a model
				m.Memory = memory.Memory{
					ID: m.ID, Project: m.Project, Scope: m.Scope, Kind: m.Kind, Status: m.Status, Source: m.Source,
					CreatedAt: m.CreatedAt, LastSeenAt: m.LastSeenAt, Content: "(the text is shown to a person only)",
				}
			}
			all = append(all, quarantined{m.Memory, reasons})
		}
	}
	return all, nil
}

func printReview(e *environment, w io.Writer, project string, q reviewQueue) {
	if len(q.Quarantined) > 0 {
		_, _ = io.WriteString(w, "ID\tSEEN\tKIND\tSOURCE\tWHY\tTEXT\n")
		for _, s := range q.Quarantined {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n",
				memory.ShortID(terminal.Printable(s.ID)), e.Ago(s.LastSeenAt),
				terminal.Printable(string(s.Kind)),
				sourceOf(s.Memory), cmp.Or(strings.Join(s.Reasons, ", "), "-"), terminal.Title(s.Content))
		}
		_, _ = fmt.Fprintln(w, "In quarantine: these memories are not recalled; memory restore ID releases one, memory forget ID archives it")
	}
	for _, r := range q.Rivals {
		memoryTable(e.Terminal, w, []daemonapi.Listed{{Memory: r.Newer}, {Memory: r.Older}})
		_, _ = fmt.Fprintf(w, "These two facts differ only in a value, so a session's start shows only the newer one. If the newer is right: memory forget %s. If the older is right: memory forget %s. If both are right: memory edit %[1]s --pin\n",
			memory.ShortID(r.Older.ID), memory.ShortID(r.Newer.ID))
	}
	if len(q.Quarantined)+len(q.Rivals) == 0 {
		_, _ = fmt.Fprintf(w, "no memory of %s waits for your decision\n", terminal.Printable(project))
	}
}
