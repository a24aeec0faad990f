package cli

import (
	"context"
	"errors"
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

func showCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "show everything that is known about memories, and why they are recalled or not", ArgsUsage: "ID... | ID QUESTION",
		Description: described("With QUESTION it shows whether Claude is given the memory for a prompt in these words, and why.",
			"memory show 3f9a1c", "memory show 3f9a1c which port does staging use", "memory show --json 3f9a1c 77ab02"),
		Action: inProject(e, showMemories),
	}
}

type shownMemory struct {
	daemonapi.Listed
	Uses int                    `json:"uses"`
	Why  *daemonapi.Explanation `json:"why,omitempty"`
}

func showMemories(c *cli.Context, e *environment, where project.Project) error {
	params := daemonapi.ExplainParams{Project: where.Key, Root: where.Root}
	ids, err := someIDs(c)
	if err != nil && c.NArg() > 1 {
		params.Text = memory.OneLine(defuse.Visible(strings.Join(c.Args().Tail(), " ")))
		ids, err = idsOf(c.Args().Slice()[:1])
	}
	if err != nil {
		return err
	}
	all := []shownMemory{}
	for _, params.ID = range ids {
		one, err := shownOf(c.Context, e, where, params)
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	return e.Print(all, func(w io.Writer) {
		for i, one := range all {
			if i > 0 {
				_, _ = fmt.Fprintln(w)
			}
			memoryPage(e, w, one)
		}
	})
}

// shownOf returns a memory by its id or the beginning of it, with the reasons why it is injected or not. It fails with
// memory.ErrNotFound if there is none.
func shownOf(ctx context.Context, e *environment, where project.Project, params daemonapi.ExplainParams) (one shownMemory, err error) {
	why, err := daemonapi.MethodExplain.Ask(ctx, e.Daemon.Call, params)
	if errors.Is(err, memory.ErrNotFound) {
		err = unknownID(params.ID, where.Name)
	}
	if err != nil {
		return one, err
	}
	if off := e.silence(where); off != "" {
		why.Start = daemonapi.StartVerdict{LeftOut: daemonapi.LeftOut{Reason: daemonapi.SwitchedOff, Why: off}}
		if why.Query != nil {
			why.Query = &daemonapi.QueryExplanation{Silent: true, LeftOut: why.Start.LeftOut}
		}
	}
	one.Listed = daemonapi.Listed{Memory: why.Row.Memory, SupersededBy: why.Row.SupersededBy}
	one.Why, one.Uses, why.Row = &why, why.Row.Uses, memory.Row{}
	return one, nil
}

func memoryPage(e *environment, w io.Writer, m shownMemory) {
	project := m.Project
	if m.Scope == memory.ScopeUser {
		project = "every project"
	}
	rows := [][2]string{
		{"id", m.ID},
		{"kind", string(m.Kind)},
		{"scope", fmt.Sprintf("%s (%s)", m.Scope, terminal.Printable(project))},
		{"status", string(m.Status)},
		{"replaced by", memory.ShortID(m.SupersededBy)},
		{"source", sourceOf(m.Memory)},
		{"importance", fmt.Sprintf("%.2f", m.Importance) + map[bool]string{true: ", pinned"}[m.Pinned]},
		{"tokens", fmt.Sprint(m.TokenCount)},
		{"created", e.When(m.CreatedAt)},
		{"last seen", e.When(m.LastSeenAt)},
		{"tags", terminal.Printable(strings.Join(m.Tags, ", "))},
		{"files", terminal.Printable(strings.Join(m.Files, ", "))},
		{"cues", strings.TrimPrefix(terminal.Printable(strings.Join(m.Cues, "; "))+map[bool]string{true: "; nearly everywhere"}[m.Everywhere], "; ")},
		{"command", terminal.Printable(m.Command)},
		{"rests on", restsOn(m.Memory)},
	}
	propertyTable(w, append(rows, whyRows(e, m)...))
	beginning := strings.TrimSuffix(m.Content, "…")
	if !strings.Contains(memory.OneLine(m.Detail), beginning) { // otherwise the detail repeats the text, with its line breaks
		_, _ = fmt.Fprintf(w, "\n%s\n", terminal.Printable(m.Content))
	}
	if m.Detail != "" && !m.IsModelWritten() {
		_, _ = fmt.Fprintf(w, "\n%s\n", strings.ReplaceAll(defuse.Text(m.Detail), "\t", "    "))
	}
}

// restsOn returns, in quotation marks, the words from which a model wrote the fact m, or "" if m is no such fact.
func restsOn(m memory.Memory) string {
	switch {
	case !m.IsModelWritten():
		return ""
	case m.RestsOnUser():
		return "the user's words: " + terminal.Printable(memory.OneLine(m.Detail))
	}
	return "the assistant's words: " + terminal.Printable(memory.OneLine(m.Detail))
}

// whyRows returns the rows about why a memory is injected or not, and its history.
func whyRows(e *environment, m shownMemory) [][2]string {
	why := m.Why
	rows := [][2]string{
		{"strength", fmt.Sprintf("%.2f now, %.2f when last used or stored; used in %s%s", why.Strength, m.Importance, memory.Counted(m.Uses, "session"), fades(m))},
		{"at start", atStart(m)},
		{"question", forQuestion(why.Query)},
		{"history", fmt.Sprintf("seen %s, given %s", memory.Counted(len(why.History.Seen), "time"),
			memory.Counted(len(why.History.Injected), "time"))},
	}
	for _, change := range why.History.Changes {
		what := terminal.Printable(memory.ShownName(change.Job)) + " by " + terminal.Printable(memory.ShownName(change.By))
		if change.Reason != "" {
			what += ": " + terminal.Printable(memory.OneLine(memory.ShortenIDs(change.Reason)))
		}
		rows = append(rows, [2]string{"changed", e.Time(change.At) + "  " + what})
	}
	return rows
}

// fades returns when the memory may be archived, as text.
func fades(m shownMemory) string {
	switch {
	case m.Pinned:
		return "; pinned, so it stays"
	case m.Why.Protected:
		return "; protected, so it stays until somebody archives it"
	}
	return fmt.Sprintf("; below %.2f it may be archived", m.Why.ArchiveBelow)
}

// atStart returns whether a start shows the memory, and what would change that, as text.
func atStart(m shownMemory) string {
	id, start := memory.ShortID(m.ID), m.Why.Start
	within := fmt.Sprintf(", within the budget of %d tokens", start.Budget)
	switch start.Given {
	case daemonapi.GivenInFull:
		return "given" + within
	case daemonapi.GivenByTitle:
		return "named by its title" + within
	}
	why := "not given: " + terminal.Printable(start.Why)
	switch start.Reason {
	case daemonapi.NoRoom, daemonapi.Outnumbered, daemonapi.SaidInPassing, daemonapi.Rivalled:
		if !m.Pinned && (start.Reason != daemonapi.NoRoom || start.Tokens > 0) { // a pin needs room, too
			why += "; memory edit " + id + " --pin gives it a place"
		}
	case daemonapi.InFile:
		return "not given, nor with a prompt: " + terminal.Printable(start.Why)
	}
	return why
}

// forQuestion returns whether the question gets the memory, as text, or "" without a question.
func forQuestion(q *daemonapi.QueryExplanation) string {
	switch {
	case q == nil:
		return ""
	case q.Rank > 0:
		return fmt.Sprintf("given as line %d, score %.2f: %s", q.Rank, q.Score, terminal.Printable(q.Why))
	case q.Silent:
		return "nothing is given: " + terminal.Printable(q.Why)
	}
	return "not given: " + terminal.Printable(q.Why)
}
