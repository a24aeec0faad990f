package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// mostBacklog is the maximum number of sessions that are considered.
const mostBacklog = 10_000

// backlogOptions select the sessions to distil.
type backlogOptions struct {
	since time.Duration // maximum age of a session; 0 for any
	yes   bool
	// newest is the number of newest sessions to consider; 0 for all. If it is set and no session is left to distil,
	// nothing is printed.
	newest int
}

func backlogOptionsOf(c *cli.Context) (o backlogOptions, err error) {
	if o.yes = c.Bool("yes"); c.IsSet("since") {
		o.since, err = timeSpan(c.String("since"))
	}
	return o, err
}

// timeSpan parses the value of --since. It fails for a text that is no length of time.
func timeSpan(text string) (time.Duration, error) {
	span, err := config.Duration(text)
	if err != nil || span <= 0 {
		return 0, usagef("--since %q is not a time such as 30d or 12h", text)
	}
	return span, nil
}

// backlogResult counts past sessions by their outcome.
type backlogResult struct {
	Distilled int    `json:"distilled"` // sessions
	Failed    int    `json:"failed"`    // sessions that will be tried again or were given up
	Facts     int    `json:"facts"`     // facts that were kept
	Left      int    `json:"left"`      // sessions that were not distilled yet
	Stopped   string `json:"stopped,omitempty"`
}

// distillBacklog distils the sessions that were not distilled yet, sorted by their end. Each answer is stored at
// once, so the user can interrupt the command at any time.
func distillBacklog(ctx context.Context, e *environment, o backlogOptions) error {
	params := daemonapi.DistillEstimateParams{Sessions: cmp.Or(o.newest, mostBacklog), Backlog: true}
	if o.since > 0 {
		params.Since = e.Now().Add(-o.since)
	}
	cost, err := daemonapi.MethodDistillEstimate.Ask(ctx, e.Daemon.CallLong, params)
	if err != nil {
		return err
	}
	if len(cost.Pending) == 0 && o.newest > 0 {
		return nil
	}
	if len(cost.Pending) == 0 {
		return e.Print(backlogResult{},
			func(w io.Writer) { _, _ = fmt.Fprintln(w, "no session has anything to distil") })
	}
	if err := confirmCost(ctx, e, o, cost); err != nil {
		return err
	}
	bar := e.Bar(len(cost.Pending), "sessions")
	defer bar.Close()
	result := backlogResult{Left: len(cost.Pending)}
	for _, session := range cost.Pending {
		if err = result.distil(ctx, e, session); err != nil || result.Stopped != "" {
			break
		}
		bar.Add(1)
	}
	bar.Close()
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted; the same command continues from here: %w", err)
	}
	return errors.Join(e.Print(result, result.print), err)
}

// confirmCost shows the estimate and asks for consent. It fails while distillation is switched off.
func confirmCost(ctx context.Context, e *environment, o backlogOptions, cost daemonapi.DistillEstimate) error {
	estimated := fmt.Sprintf("%s would be distilled, in %s:\n%s", terminal.Counted(cost.Asked, "session"),
		terminal.Counted(cost.Calls, "call"), mostCost(cost))
	spent, err := daemonapi.MethodSpend.Ask(ctx, e.Daemon.Call, 1)
	if err != nil {
		return err
	}
	if !spent.Status.Enabled {
		return fmt.Errorf("%sdistillation is switched off, so nothing is sent; memory distill on switches it on: %w", estimated, memory.ErrInvalid)
	}
	return e.Confirm(o.yes, estimated+"Go on?")
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
	_, _ = fmt.Fprintf(w, "distilled %s, kept %s\n", terminal.Counted(r.Distilled, "session"),
		terminal.Counted(r.Facts, "fact"))
	if r.Failed > 0 {
		_, _ = fmt.Fprintf(w, "%s failed; memory daemon logs shows why. They are tried again, unless they have failed too often\n",
			terminal.Counted(r.Failed, "session"))
	}
	if r.Stopped != "" {
		_, _ = fmt.Fprintf(w, "stopped: %s\n", terminal.Printable(r.Stopped))
	}
	if r.Left > 0 {
		_, _ = fmt.Fprintf(w, "%s left; the same command continues there\n", terminal.Counted(r.Left, "session"))
	}
}
