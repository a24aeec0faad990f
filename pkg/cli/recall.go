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
)

const (
	defaultBudget = 1000 // tokens
	recallHits    = 50
)

// recallCommand returns the command "memory recall".
func recallCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "recall", Usage: "show what a model is given: for a question, or at the next session's start", ArgsUsage: "[QUESTION]",
		Description: described("Without a question, it shows the text that the next session starts with.",
			"memory recall", `memory recall "why is the staging port not 5432?"`, "memory recall --budget 300 how do we release"),
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "budget", Usage: "at most `N` tokens", Value: defaultBudget}, kindsFlag(),
		},
		Action: inProject(e, recallOptionsOf, recallMemories),
	}
}

// questionOf returns the question in the arguments, or "" without arguments. It fails if the arguments have no words.
func questionOf(c *cli.Context) (string, error) {
	text := memory.OneLine(withoutControls(strings.Join(c.Args().Slice(), " ")))
	if text == "" && c.Args().Len() > 0 {
		return "", usagef("%s for what? give some words", c.Command.Name)
	}
	return text, nil
}

// recallOptions has the question, and limits of the answer.
type recallOptions struct {
	text   string        // empty to show the start of the next session
	kinds  []memory.Kind // empty: all kinds
	budget int           // maximum number of tokens, at least 1
}

func recallOptionsOf(c *cli.Context) (o recallOptions, err error) {
	o.budget = c.Int("budget")
	if o.text, err = questionOf(c); err != nil {
		return o, err
	}
	switch {
	case o.text == "" && (c.IsSet("budget") || c.IsSet("kind")):
		return o, usagef("recall for what? give some words; without options and words it shows the start of the next session")
	case o.budget < 1:
		return o, usagef("budget %d: give at least 1 token", o.budget)
	}
	o.kinds, err = kindsOf(c)
	return o, err
}

func recallMemories(ctx context.Context, e *environment, where project.Project, o recallOptions) error {
	if o.text == "" {
		return showStart(ctx, e, where)
	}
	params := daemonapi.AnswerParams{
		TokenBudget: o.budget, FindParams: daemonapi.FindParams{
			Project: where.Key, Text: o.text,
			Kinds: o.kinds, Limit: recallHits,
		},
	}
	answer, err := daemonapi.MethodAnswer.Ask(ctx, e.Daemon.Call, params)
	if err != nil {
		return err
	}
	return e.Print(answer, func(w io.Writer) {
		switch {
		case len(answer.Memories) == 0 && answer.Left > 0:
			_, _ = fmt.Fprintf(w, "%s found, but none is short enough for %s: give a larger --budget\n",
				terminal.Counted(answer.Left, "memory"), terminal.Counted(o.budget, "token"))
			return
		case len(answer.Memories) == 0:
			_, _ = fmt.Fprintln(w, "nothing stored answers this")
			return
		case answer.Nearest:
			_, _ = fmt.Fprintln(w, "no memory fits these words; the nearest are:")
		}
		for _, m := range answer.Memories {
			status := ""
			if m.Status != "" {
				status = " (" + terminal.Printable(m.Status) + ")"
			}
			_, _ = fmt.Fprintf(w, "%s  %s  %s%s\n", e.Paint(terminal.Cyan, terminal.Printable(m.ID)), m.Date,
				terminal.Printable(m.Content), status)
		}
		more := ""
		if answer.Left > 0 {
			more = fmt.Sprintf(", %d more that fit are beyond the budget", answer.Left)
		}
		_, _ = fmt.Fprintf(w, "%d of %s%s\n", answer.Tokens, terminal.Counted(o.budget, "token"), more)
	})
}
