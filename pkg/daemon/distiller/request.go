package distiller

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Distill distils one session now, before the queued ones. With p.DryRun it returns the questions that it would ask.
// It fails if no model may be asked, or if the session is not found.
func (d *Distiller) Distill(ctx context.Context, p daemonapi.DistillParams) (daemonapi.DistillResult, error) {
	named, err := memory.SessionNamed(ctx, d.Store, "", p.Session)
	if err != nil {
		return daemonapi.DistillResult{}, err
	}
	id := named.ID
	if p.DryRun {
		return d.dryRun(ctx, id)
	}
	if settings, _ := d.inForce(); !settings.Enabled {
		return daemonapi.DistillResult{}, errOff
	}
	lease, err := d.leaseWhenFree(ctx)
	if err != nil {
		return daemonapi.DistillResult{}, err
	}
	defer d.release(ctx, lease)
	now := d.Now().UTC()
	done, err := d.take(ctx, memory.Distillation{
		Session: id, State: memory.DistillationWaiting, Trigger: triggerManual, NextTry: now, QueuedAt: now,
	}, lease)
	if done == nil {
		return daemonapi.DistillResult{}, err
	}
	result := daemonapi.DistillResult{
		Session: id, Digest: done.digest, Facts: done.facts, Dropped: done.dropped, State: string(done.row.State),
		Reason: done.row.Reason,
	}
	if errors.Is(err, errStop) {
		result.Stopped, err = result.Reason, nil
	}
	if err != nil {
		return result, err
	}
	totals, err := d.Store.Totals(ctx, memory.SpendQuery{Session: id})
	result.Spent = totals.Spent
	return result, err
}

// How long a request waits while another session is distilled, and how often it checks.
const (
	heldTime = 5 * time.Minute
	heldPoll = 200 * time.Millisecond
)

func (d *Distiller) leaseWhenFree(ctx context.Context) (memory.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, heldTime)
	defer cancel()
	ticker := time.NewTicker(heldPoll)
	defer ticker.Stop()
	for {
		lease, err := d.lease(ctx)
		if !errors.Is(err, memory.ErrHeld) {
			return lease, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return lease, memory.Mark(errors.New("another session is being distilled: try again when that has ended"), err)
		}
	}
}

func (d *Distiller) dryRun(ctx context.Context, id string) (daemonapi.DistillResult, error) {
	in, err := d.input(ctx, id)
	if err != nil {
		return daemonapi.DistillResult{}, err
	}
	parts := in.Parts()
	result := daemonapi.DistillResult{Session: id}
	for i, p := range parts {
		q := p.Question(distill.FactQuota(in.Facts(), parts[i:]))
		result.Calls = append(result.Calls, daemonapi.DistillCall{
			System: q.System, Prompt: q.Prompt, Tokens: q.Tokens(d.Counter), Most: q.MaxOutput,
			Encoding: d.Counter.Encoding(), Skipped: p.Done,
		})
	}
	return result, nil
}

// readAtOnce is the number of sessions that are read in one round trip.
const readAtOnce = 25

// Estimate returns an upper bound of the cost of distilling the backlog.
func (d *Distiller) Estimate(ctx context.Context, p daemonapi.DistillEstimateParams) (daemonapi.DistillEstimate, error) {
	settings := d.settings()
	estimate := daemonapi.DistillEstimate{DayTokens: settings.DayTokens}
	ids, err := d.backlog(ctx, p)
	if err != nil {
		return estimate, err
	}
	projects := map[string][]memory.Row{}
	for some := range slices.Chunk(ids, readAtOnce) {
		records, err := d.Store.Records(ctx, memory.RecordsOf(some))
		if err != nil {
			return estimate, err
		}
		for _, record := range records {
			if d.WhyOff(record.Session) != "" {
				continue
			}
			project := record.Session.Project
			if _, read := projects[project]; !read {
				if projects[project], err = d.standing(ctx, project); err != nil {
					return estimate, err
				}
			}
			d.add(&estimate, record.Session.ID, d.inputOf(record, projects[project]))
		}
	}
	estimate.USD = (float64(estimate.Input)*settings.InputPrice + float64(estimate.Output)*settings.OutputPrice) / 1e6
	if estimate.DayTokens > 0 {
		estimate.Days = (estimate.Input + estimate.Output + estimate.DayTokens - 1) / estimate.DayTokens
	}
	return estimate, nil
}

// backlog returns the ids of the requested sessions that are undistilled, sorted by their end.
func (d *Distiller) backlog(ctx context.Context, p daemonapi.DistillEstimateParams) (ids []string, err error) {
	left, err := d.undistilled(ctx, p.Sessions)
	slices.SortFunc(left, memory.EndedFirst)
	return memory.EachIf(left, func(one memory.Session) (string, bool) { return one.ID, !one.LastEventAt.Before(p.Since) }), err
}

// add adds to an estimate the maximum cost of a session, if a model must be asked about it.
func (d *Distiller) add(e *daemonapi.DistillEstimate, session string, in distill.Input) {
	parts := in.Parts()
	calls, input := 0, 0
	for _, p := range parts {
		if !p.Done {
			calls++
			input += p.Question(distill.MostFacts).Tokens(d.Counter) + distill.Overhead
		}
	}
	output := calls * distill.MostOutput
	if calls == 0 {
		return
	}
	if most := d.settings().SessionTokens; input+output > most {
		e.Over++
		input, output = most*input/(input+output), most*output/(input+output)
	}
	e.Pending = append(e.Pending, session)
	e.Calls, e.Input, e.Output = e.Calls+calls, e.Input+input, e.Output+output
}

// Spend returns the costs of the last days, including today, and the state of distillation.
func (d *Distiller) Spend(ctx context.Context, days int) (daemonapi.SpendResult, error) {
	since := d.Now().UTC().AddDate(0, 0, 1-max(1, days))
	totals, err := d.Store.Totals(ctx, memory.SpendQuery{Since: since})
	if err != nil {
		return daemonapi.SpendResult{}, err
	}
	status, err := d.Status(ctx)
	return daemonapi.SpendResult{Totals: totals.Spent, Status: status}, err
}

// Status returns the state of distillation. It fails if the store cannot be read.
func (d *Distiller) Status(ctx context.Context) (daemonapi.DistillStatus, error) {
	settings, model := d.inForce()
	status := daemonapi.DistillStatus{
		Enabled: settings.Enabled && model != nil, Receiver: settings.Receiver(),
		SessionTokens: settings.SessionTokens, DayTokens: settings.DayTokens, Stopped: d.whyStopped(),
	}
	var err error
	if status.Today, err = d.spent(ctx, memory.SpendQuery{Since: d.Now()}); err != nil {
		return status, err
	}
	count := func(states ...memory.DistillationState) int {
		if err != nil {
			return 0
		}
		var rows []memory.Distillation
		rows, err = d.Store.Distillations(ctx, memory.DistillationQuery{States: states, Limit: mostCounted})
		return len(rows)
	}
	status.Waiting = count(memory.DistillationWaiting, memory.DistillationRunning)
	status.Dead = count(memory.DistillationDead)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.call != nil {
		one := *d.call
		status.Running = &one
	}
	return status, err
}
