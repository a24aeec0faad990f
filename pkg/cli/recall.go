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

const (
	defaultBudget = 1000 // tokens
	recallHits    = 50
)

func recallCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "recall", Usage: "show what a model is given: for a question, or at the next session's start", ArgsUsage: "[QUESTION]",
		Description: described("Without a question, it shows the text that the next session starts with.",
			"memory recall", `memory recall "why is the staging port not 5432?"`, "memory recall --budget 300 how do we release"),
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "budget", Usage: "at most `N` tokens", Value: defaultBudget}, kindsFlag(),
		},
		Action: inProject(e, recallMemories),
	}
}

// questionOf returns the question in the arguments, or "" without arguments. It fails if the arguments have no words.
func questionOf(c *cli.Context) (string, error) {
	text := memory.OneLine(defuse.Visible(strings.Join(c.Args().Slice(), " ")))
	if text == "" && c.Args().Len() > 0 {
		return "", usagef("%s for what? give some words", c.Command.Name)
	}
	return text, nil
}

func recallMemories(c *cli.Context, e *environment, where project.Project) error {
	budget := c.Int("budget")
	text, err := questionOf(c)
	switch {
	case err != nil:
		return err
	case text == "" && (c.IsSet("budget") || c.IsSet("kind")):
		return usagef("--budget and --kind need a QUESTION; memory recall alone shows the start of the next session")
	case budget < 1:
		return usagef("--budget %d: give at least 1 token", budget)
	case text == "":
		return showStart(c.Context, e, where)
	}
	kinds, err := kindsOf(c)
	if err != nil {
		return err
	}
	params := daemonapi.AnswerParams{
		TokenBudget: budget, FindParams: daemonapi.FindParams{Project: where.Key, Text: text, Kinds: kinds, Limit: recallHits},
	}
	return show(c.Context, e, daemonapi.MethodAnswer, params, func(w io.Writer, answer daemonapi.Answer) {
		switch {
		case len(answer.Memories) == 0 && answer.Left > 0:
			_, _ = fmt.Fprintf(w, "%s found, but none is short enough for %s: give a larger --budget\n",
				memory.Counted(answer.Left, "memory"), memory.Counted(budget, "token"))
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
			_, _ = fmt.Fprintf(w, "%s  %s  %s%s\n", terminal.Printable(m.ID), m.Date,
				terminal.Printable(m.Content), status)
		}
		more := ""
		if answer.Left > 0 {
			more = fmt.Sprintf(", and %d more memories fit the question but not the budget", answer.Left)
		}
		_, _ = fmt.Fprintf(w, "%d of %s%s\n", answer.Tokens, memory.Counted(budget, "token"), more)
	})
}

// leastStart is about the number of tokens of a start's tags and introduction: with fewer there is room for no memory.
const leastStart = 100

// showStart prints the text with which the next session of a project starts. It fails with memory.ErrUnavailable if
// the daemon could not look anything up.
func showStart(ctx context.Context, e *environment, where project.Project) error {
	if why := e.silence(where); why != "" {
		return e.Print(daemonapi.ContextResult{}, func(w io.Writer) { _, _ = fmt.Fprintf(w, "nothing: %s\n", why) })
	}
	result, err := daemonapi.MethodSessionContext.Ask(ctx, e.Daemon.Call, daemonapi.SessionContextParams{
		Project: where.Key, Root: where.Root, TokenBudget: e.Config.Hooks.SessionStartTokens,
		WaitMS: int(callTime.Milliseconds()),
	})
	if err != nil {
		return err
	}
	if result.Trouble != nil && result.Encoding == "" { // the daemon could not look anything up
		return memory.Mark(errors.New(result.Trouble.String()), memory.ErrUnavailable)
	}
	return e.Print(result, func(w io.Writer) {
		if budget := e.Config.Hooks.SessionStartTokens; result.Items == 0 && budget < leastStart {
			_, _ = fmt.Fprintf(w, "nothing: a start of %d tokens has no room; memory config set hooks.session_start.token_budget VALUE gives it more\n", budget)
			return
		}
		if result.Items == 0 {
			_, _ = fmt.Fprintf(w, "nothing yet: %s has no memories that are shown at a session's start\n", terminal.Printable(where.Name))
			return
		}
		_, _ = fmt.Fprintf(w, "%s%d of %d tokens (%s), %s\n", strings.ReplaceAll(result.Text, "\t", "    "),
			result.Tokens, result.Budget, result.Encoding, memory.Counted(result.Items, "item"))
	})
}
