package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// showCommand makes memory show.
func showCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "show memories with everything that is known about them", ArgsUsage: "ID...",
		Description: described("", "memory show 3f9a1c", "memory show --json 3f9a1c 77ab02"),
		Action:      inProject(e, showOptionsOf, showMemory),
	}
}

// showOptions selects the memories to show.
type showOptions struct {
	ids []string // or their beginnings
}

func showOptionsOf(c *cli.Context) (showOptions, error) {
	o := showOptions{c.Args().Slice()}
	if len(o.ids) == 0 {
		return o, usagef("show which? give ids, as memory list shows them")
	}
	return o, checkIDs(o.ids)
}

func showMemory(ctx context.Context, e *environment, where project.Project, o showOptions) error {
	found, err := memoriesOf(ctx, e, where, o.ids)
	if err != nil {
		return err
	}
	corrected, err := correctors(ctx, e, found)
	if err != nil {
		return err
	}
	return e.Print(withSuccessors(found, corrected), func(w io.Writer) {
		for i, m := range found {
			if i > 0 {
				_, _ = fmt.Fprintln(w)
			}
			memoryPage(e, w, m, corrected[m.ID])
		}
	})
}

// memoriesOf asks for memories of a project by their ids, or beginnings of ids. The error is memory.ErrNotFound if there
// is no such memory.
func memoriesOf(ctx context.Context, e *environment, where project.Project, ids []string) ([]memory.Memory, error) {
	found := []memory.Memory{}
	for _, id := range ids {
		one, err := daemonapi.MethodGet.Ask(ctx, e.Daemon.Call,
			daemonapi.GetParams{Project: where.Key, Root: where.Root, IDs: []string{id}})
		if err != nil {
			return nil, err
		}
		if len(one) == 0 {
			return nil, unknownID(id, where.Name)
		}
		found = append(found, one...)
	}
	return found, nil
}

// withSuccessor is a memory with the id of the one that stands in its place; empty if it stands itself.
type withSuccessor struct {
	memory.Memory
	SupersededBy string `json:"superseded_by,omitempty"`
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

func memoryPage(e *environment, w io.Writer, m memory.Memory, correctedBy string) {
	project := m.Project
	if m.Scope == memory.ScopeUser {
		project = "every project"
	}
	properties := [][2]string{
		{"id", e.Paint(terminal.Cyan, m.ID)},
		{"kind", fmt.Sprintf("%s, %s", m.Kind, m.Type)},
		{"reach", fmt.Sprintf("%s (%s)", m.Scope, terminal.Printable(project))},
		{"status", string(m.Status)},
		{"corrected by", memory.ShortID(correctedBy)},
		{"source", sourceOf(m)},
		{"importance", fmt.Sprintf("%.2f", m.Importance) + map[bool]string{true: ", pinned"}[m.Pinned]},
		{"tokens", fmt.Sprintf("%d (%s)", m.TokenCount, terminal.Printable(m.TokenEncoding))},
		{"created", e.When(m.CreatedAt)},
		{"last seen", e.When(m.LastSeenAt)},
		{"tags", terminal.Printable(strings.Join(m.Tags, ", "))},
		{"files", terminal.Printable(strings.Join(m.Files, ", "))},
		{"cues", terminal.Printable(strings.Join(m.Cues, "; "))},
		{"command", terminal.Printable(m.Command)},
	}
	for _, row := range properties {
		if row[1] != "" {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
		}
	}
	beginning := strings.TrimSuffix(m.Content, "…")
	if !strings.Contains(memory.OneLine(m.Detail), beginning) { // otherwise the detail is the text, with its lines
		_, _ = fmt.Fprintf(w, "\n%s\n", terminal.Printable(m.Content))
	}
	if m.Detail != "" {
		_, _ = fmt.Fprintf(w, "\n%s\n", strings.ReplaceAll(defuse.Text(m.Detail), "\t", "    "))
	}
}
