package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// explainCommand makes memory explain.
func explainCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "explain", Usage: "explain why a memory is or is not recalled", ArgsUsage: "ID [QUESTION]",
		Description: described("With a question, it shows the memory's rank for the question, and why.",
			"memory explain 3f9a1c", "memory explain 3f9a1c which port does staging use"),
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "file", Usage: "a `PATH` the question is about, relative to the project; may be given again"},
		},
		Action: inProject(e, explainOptionsOf, explainMemory),
	}
}

// explanation is the output of explain.
type explanation struct {
	daemonapi.Explanation
	Tokens  int            `json:"tokens"` // of the memory's line
	History memory.History `json:"history"`
	Content string         `json:"content"`
	Client  string         `json:"client,omitempty"` // the coding agent of its session; empty is Claude Code
	// For a fact that a model wrote: the situations that call for it, and its quotes.
	Cues       []string `json:"cues,omitempty"`
	Everywhere bool     `json:"everywhere,omitempty"`
	RestsOn    string   `json:"rests_on,omitempty"`
	// Origin describes the author of a fact.
	Origin string `json:"origin,omitempty"`
	Words  string `json:"words,omitempty"`
	// SupersededBy is the memory that stands in its place; empty if it stands itself.
	SupersededBy string `json:"superseded_by,omitempty"`
}

// explainOptions selects the memory and the question.
type explainOptions struct {
	id       string
	question string   // may be empty
	files    []string // that the question is about, relative to the project
}

func explainOptionsOf(c *cli.Context) (o explainOptions, err error) {
	if !c.Args().Present() {
		return o, usagef("explain which? give an id, as memory list shows them")
	}
	o.id, o.files = c.Args().First(), c.StringSlice("file")
	o.question = memory.OneLine(withoutControls(strings.Join(c.Args().Tail(), " ")))
	return o, checkID(o.id)
}

func explainMemory(ctx context.Context, e *environment, where project.Project, o explainOptions) error {
	params := daemonapi.ExplainParams{
		Project: where.Key, Root: where.Root, Dir: where.Dir, ID: o.id,
		Text: o.question, Files: o.files,
	}
	known, err := daemonapi.MethodExplain.Ask(ctx, e.Daemon.Call, params)
	if errors.Is(err, memory.ErrNotFound) {
		return unknownID(o.id, where.Name)
	}
	if err != nil {
		return err
	}
	past, err := daemonapi.MethodHistory.Ask(ctx, e.Daemon.Call, daemonapi.HistoryParams{Project: where.Key, ID: known.ID})
	if err != nil {
		return err
	}
	all := explanation{
		Explanation: known, Tokens: past.Row.Memory.TokenCount, History: past.History, Content: past.Row.Memory.Content,
		SupersededBy: past.Row.SupersededBy,
	}
	if all.Client, err = clientOf(ctx, e, where.Key, past.Row.Memory.Session); err != nil {
		return err
	}
	if m := past.Row.Memory; m.IsFact() {
		all.Cues, all.Everywhere, all.Origin = m.Cues, m.Everywhere, originOf(m)
		if m.IsModelWritten() {
			all.Words, all.RestsOn = m.Detail, "the assistant's words"
		}
		if m.RestsOnUser() {
			all.RestsOn = "the user's words"
		}
	}
	return e.Print(all, func(w io.Writer) { explainPage(e, w, all) })
}

// originOf describes the author of a fact.
func originOf(m memory.Memory) string {
	switch {
	case m.IsModelWritten():
		return "distilled by a model"
	case m.Source == memory.SourceAssistant:
		return "stored by the assistant"
	}
	return "from " + sourceOf(m)
}

// clientOf is the client in which a session was; empty is Claude Code, or a session that is not known.
func clientOf(ctx context.Context, e *environment, project, session string) (string, error) {
	if session == "" {
		return "", nil
	}
	found, err := daemonapi.MethodSessions.Ask(ctx, e.Daemon.Call,
		daemonapi.SessionsParams{Project: project, ID: session, Limit: 1})
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].Client, nil
}

func explainPage(env *environment, w io.Writer, e explanation) {
	_, _ = fmt.Fprintf(w, "%s\n\n", terminal.Printable(e.Content))
	_, _ = fmt.Fprintf(w, "%s\t%s %s, reaches the %s, %s%s\n", env.Paint(terminal.Cyan, memory.ShortID(e.ID)),
		e.Type, e.Kind, e.Scope, e.Status,
		map[bool]string{true: ", pinned"}[e.Pinned])
	if e.Client != "" {
		_, _ = fmt.Fprintf(w, "session of\t%s\n", terminal.Printable(client.Title(e.Client)))
	}
	factPage(w, e)
	_, _ = fmt.Fprintf(w, "strength\t%.2f of %.2f now, last seen %s, used in %s%s\n", e.Strength, e.Importance,
		env.When(e.LastSeenAt), terminal.Counted(e.Uses, "session"), fades(e))
	_, _ = fmt.Fprintf(w, "tokens\t%d (%s)\n", e.Tokens, terminal.Printable(e.Encoding))
	_, _ = fmt.Fprintf(w, "at start\t%s\n", atStart(env, e))
	if q := e.Query; q != nil {
		queryPage(env, w, q)
	}
	historyPage(env, w, e.History)
}

// factPage describes the author of a fact, the situations that call for it, and its quotes.
func factPage(w io.Writer, e explanation) {
	if e.Origin == "" {
		return
	}
	_, _ = fmt.Fprintf(w, "origin\t%s\n", e.Origin)
	when := strings.Join(e.Cues, "; ")
	if e.Everywhere {
		when = strings.TrimPrefix(when+"; nearly everywhere", "; ")
	}
	if when != "" {
		_, _ = fmt.Fprintf(w, "cues\t%s\n", terminal.Printable(when))
	}
	if e.RestsOn != "" {
		_, _ = fmt.Fprintf(w, "rests on\t%s: %s\n", e.RestsOn, terminal.Printable(memory.OneLine(e.Words)))
	}
}

// fades describes when the memory is archived.
func fades(e explanation) string {
	switch {
	case e.Pinned:
		return "; pinned, so it stays"
	case e.Protected:
		return "; protected: it stays until somebody forgets it"
	}
	return fmt.Sprintf("; below %.2f it may be archived", e.ArchiveBelow)
}

// atStart describes the fate of a memory at a start, with what would change it.
func atStart(env *environment, e explanation) string {
	id := memory.ShortID(e.ID)
	given := fmt.Sprintf(", within the budget of %d tokens", e.Start.Budget)
	switch e.Start.Given {
	case daemonapi.GivenInFull:
		return env.Paint(terminal.Green, "given") + given
	case daemonapi.GivenByTitle:
		return env.Paint(terminal.Green, "named") + " by its title" + given
	}
	why := "not given: " + terminal.Printable(e.Start.Why)
	switch e.Start.Reason {
	case daemonapi.OfASession:
		return why + "; memory edit " + id + " --scope project gives it to the whole project"
	case daemonapi.NoRoom, daemonapi.Outnumbered, daemonapi.SaidInPassing, daemonapi.Rivalled:
		return why + "; memory edit " + id + " --pin has it given"
	case daemonapi.InFile:
		return "not injected, nor for a prompt: " + terminal.Printable(e.Start.Why)
	default:
		return why
	}
}

func queryPage(env *environment, w io.Writer, q *daemonapi.QueryExplanation) {
	switch {
	case q.Rank > 0:
		_, _ = fmt.Fprintf(w, "question\t%s, score %.2f: %s\n",
			env.Paint(terminal.Green, fmt.Sprintf("given as line %d", q.Rank)), q.Score, terminal.Printable(q.Why))
	case q.Silent:
		_, _ = fmt.Fprintf(w, "question\tnothing is given: %s\n", terminal.Printable(q.Why))
	default:
		_, _ = fmt.Fprintf(w, "question\tnot given: %s\n", terminal.Printable(q.Why))
	}
}

func historyPage(env *environment, w io.Writer, h memory.History) {
	first, last := historySpan(h)
	if first.IsZero() {
		_, _ = fmt.Fprintln(w, "history\tit was not seen in any session")
		return
	}
	_, _ = fmt.Fprintf(w, "seen\t%s\n", terminal.Counted(len(h.Seen), "time"))
	_, _ = fmt.Fprintf(w, "injected\t%s\n", terminal.Counted(len(h.Injected), "time"))
	if !first.Equal(last) {
		_, _ = fmt.Fprintf(w, "\tfrom %s to %s\n", env.Time(first), env.Time(last))
	}
	for _, change := range h.Changes {
		what := terminal.Printable(change.Job) + " by " + terminal.Printable(change.By)
		if change.Reason != "" {
			what += ": " + terminal.Printable(memory.OneLine(memory.ShortenIDs(change.Reason)))
		}
		_, _ = fmt.Fprintf(w, "changed\t%s  %s\n", env.Time(change.At), what)
	}
}

// historySpan is from the first to the last thing that happened.
func historySpan(h memory.History) (first, last time.Time) {
	note := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	for _, one := range h.Seen {
		note(one.At)
	}
	for _, one := range h.Injected {
		note(one.At)
	}
	return first, last
}
