package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// estimateDistillation prints the maximum cost of distilling the newest sessions.
func estimateDistillation(ctx context.Context, e *environment, sessions int) error {
	params := daemonapi.DistillEstimateParams{Sessions: sessions}
	return show(ctx, e, daemonapi.MethodDistillEstimate, params, func(w io.Writer, result daemonapi.DistillEstimate) {
		switch {
		case result.Sessions == 0:
			_, _ = fmt.Fprintln(w, "there are no ended sessions to distil yet")
			return
		case result.Asked == 0:
			_, _ = fmt.Fprintf(w, "the newest %s would cost nothing: they have nothing to distil\n",
				terminal.Counted(result.Sessions, "session"))
			return
		}
		_, _ = fmt.Fprintf(w, "of the newest %s, %d would be distilled, in %s\n",
			terminal.Counted(result.Sessions, "session"), result.Asked, terminal.Counted(result.Calls, "call"))
		_, _ = io.WriteString(w, mostCost(result))
	})
}

// mostCost returns the maximum cost of an estimate as text.
func mostCost(result daemonapi.DistillEstimate) string {
	text := fmt.Sprintf("at most %d tokens of input and %d of output, $%.2f by distill.input_price and distill.output_price\n", result.Input, result.Output, result.USD)
	if result.Over > 0 {
		text += fmt.Sprintf("%s would reach distill.session_tokens\n", terminal.Counted(result.Over, "session"))
	}
	if result.DayTokens > 0 {
		text += fmt.Sprintf("with distill.day_tokens %d they would take %s\n", result.DayTokens,
			terminal.Counted(result.Days, "day"))
	}
	return text
}

// dollars returns the cost as text, or "" if it is unknown.
func dollars(usd float64) string {
	if usd == 0 {
		return ""
	}
	return fmt.Sprintf(", $%.4f", usd)
}
