package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// evalCommand makes memory eval.
func evalCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "eval", Usage: "hold recall against the wrong answers that you marked on the dashboard",
		Description: described("Each mark (memory open, Why this?) is a prompt that should have recalled nothing, or a certain memory. They are lines of evaluation.jsonl in the home.",
			"memory eval", "memory eval --json"),
		Flags:  []cli.Flag{jsonFlag()},
		Action: action(e, onlyShared, evaluate),
	}
}

func evaluate(ctx context.Context, e *environment, o sharedOptions) error {
	result, err := agentapi.MethodEvaluate.Ask(ctx, e.Agent.CallLong, agentapi.None{})
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, result, func(w io.Writer) {
		if result.Silences+result.Wanted == 0 {
			_, _ = fmt.Fprintln(w, "nothing is marked yet: memory open, Why this?")
			return
		}
		_, _ = fmt.Fprintf(w, "silence kept\t%d of %d\nrecalled as wanted\t%d of %d\n", result.Kept,
			result.Silences, result.Recalled, result.Wanted)
		for _, failed := range result.Failed {
			wanted := "should be silent"
			if failed.Memory != "" {
				wanted = "should recall " + memory.ShortID(failed.Memory)
			}
			_, _ = fmt.Fprintf(w, "  %s\t%s\t%s\n", terminal.Printable(memory.Cut(memory.OneLine(failed.Prompt),
				60)), wanted, terminal.Printable(failed.Why))
		}
	})
}
