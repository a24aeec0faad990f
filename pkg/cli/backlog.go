package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// mostBacklog is the maximum number of sessions that are considered.
const mostBacklog = 10_000

// timeSpan parses the value of --since. It fails for anything but a positive length of time.
func timeSpan(text string) (time.Duration, error) {
	span, err := config.Duration(text)
	if err != nil || span <= 0 {
		return 0, usagef("--since %q is not a time such as 30d or 12h", text)
	}
	return span, nil
}

type backlogResult struct {
	Distilled int    `json:"distilled"` // sessions
	Failed    int    `json:"failed"`    // sessions that will be tried again or were given up
	Facts     int    `json:"facts"`     // facts that were kept
	Left      int    `json:"left"`      // sessions that were not distilled yet
	Stopped   string `json:"stopped,omitempty"`
}

// distillBacklog takes the given number of newest sessions, without those older than since (if set), and distils those that were
// not distilled yet, in the order in which they ended. It asks first, unless isAgreed. Each answer is stored at once, so the user
// can interrupt the command at any time. If none is left to distil, it prints nothing, unless mostBacklog sessions were considered.
func distillBacklog(ctx context.Context, e *environment, sessions int, since time.Time, isAgreed bool) error {
	params := daemonapi.DistillEstimateParams{Sessions: sessions, Since: since}
	cost, err := daemonapi.MethodDistillEstimate.Ask(ctx, e.Daemon.CallLong, params)
	if err != nil {
		return err
	}
	if len(cost.Pending) == 0 {
		if sessions < mostBacklog {
			return nil
		}
		return e.Print(backlogResult{}, func(w io.Writer) { _, _ = io.WriteString(w, mostCost(cost)) })
	}
	if err := confirmCost(ctx, e, isAgreed, cost); err != nil {
		return err
	}
	result := backlogResult{Left: len(cost.Pending)}
	for done, session := range cost.Pending {
		if err = result.distil(ctx, e, session); err != nil || result.Stopped != "" {
			break
		}
		_, _ = fmt.Fprintf(e.Err, "memory: %d of %s done\n", done+1, memory.Counted(len(cost.Pending), "session"))
	}
	if errors.Is(err, context.Canceled) {
		err = memory.Mark(errors.New("interrupted; the same command continues from here"), err)
	}
	return errors.Join(e.Print(result, result.print), err)
}

// confirmCost shows the estimate and asks for consent. It fails while distillation is switched off.
func confirmCost(ctx context.Context, e *environment, isAgreed bool, cost daemonapi.DistillEstimate) error {
	estimated := mostCost(cost)
	spent, err := daemonapi.MethodSpend.Ask(ctx, e.Daemon.Call, 1)
	if err != nil {
		return err
	}
	if !spent.Status.Enabled {
		return fmt.Errorf("%sdistillation is switched off, so nothing is sent; memory distill on switches it on: %w", estimated, memory.ErrInvalid)
	}
	return e.Confirm(isAgreed, estimated+"Go on?")
}

func (r *backlogResult) distil(ctx context.Context, e *environment, session string) error {
	one, err := daemonapi.MethodDistill.Ask(ctx, e.Daemon.CallLong, daemonapi.DistillParams{Session: session})
	if err != nil {
		return err
	}
	r.Facts += len(one.Facts)
	if one.Stopped != "" {
		r.Stopped = one.Stopped
		return nil
	}
	r.Left--
	if one.State == string(memory.DistillationDone) {
		r.Distilled++
	} else {
		r.Failed++
	}
	return nil
}

func (r backlogResult) print(w io.Writer) {
	_, _ = fmt.Fprintf(w, "distilled %s, kept %s\n", memory.Counted(r.Distilled, "session"),
		memory.Counted(r.Facts, "fact"))
	if r.Failed > 0 {
		_, _ = fmt.Fprintf(w, "%s failed; memory daemon logs shows why. They are tried again, unless they have failed too often\n",
			memory.Counted(r.Failed, "session"))
	}
	if r.Stopped != "" {
		_, _ = fmt.Fprintf(w, "stopped: %s\n", terminal.Printable(r.Stopped))
	}
	if r.Left > 0 {
		_, _ = fmt.Fprintf(w, "%s left; run the same command again to continue\n", memory.Counted(r.Left, "session"))
	}
}

// estimateDistillation prints the maximum cost of distilling the newest sessions, as far as they were not distilled yet.
func estimateDistillation(ctx context.Context, e *environment, sessions int) error {
	return show(ctx, e, daemonapi.MethodDistillEstimate, daemonapi.DistillEstimateParams{Sessions: sessions},
		func(w io.Writer, cost daemonapi.DistillEstimate) { _, _ = io.WriteString(w, mostCost(cost)) })
}

func mostCost(cost daemonapi.DistillEstimate) string {
	if len(cost.Pending) == 0 {
		return "no session has anything to distil\n"
	}
	text := fmt.Sprintf("%s would be distilled, in %s:\nat most %d tokens of input and %d of output, $%.2f by distill.input_price and distill.output_price\n",
		memory.Counted(len(cost.Pending), "session"), memory.Counted(cost.Calls, "call"), cost.Input, cost.Output, cost.USD)
	if cost.Over > 0 {
		text += fmt.Sprintf("%s would reach the limit distill.session_tokens, so only their first parts are sent\n", memory.Counted(cost.Over, "session"))
	}
	if cost.DayTokens > 0 {
		text += fmt.Sprintf("with the limit distill.day_tokens (%d) this would take %s\n", cost.DayTokens, memory.Counted(cost.Days, "day"))
	}
	return text
}
