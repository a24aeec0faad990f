package upkeep

import (
	"context"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// round is the jobs that one trigger runs in the background. Before them and between
// their steps it gives way to bursts of events.
type round struct {
	*Upkeep
	patience context.Context // when it ends, nothing of the round waits any longer
}

// beginRound begins a round that is due now. Its end is to be called.
func (u *Upkeep) beginRound(ctx context.Context) (r round, end context.CancelFunc) {
	r.Upkeep = u
	r.patience, end = context.WithTimeout(ctx, u.Config.Maintenance.Patience)
	return r, end
}

// maintain runs a job that gives way to bursts.
func (r round) maintain(ctx context.Context, request consolidate.Request) (memory.Run, error) {
	return r.Upkeep.maintain(ctx, request, func(ctx context.Context) error {
		_, err := r.giveWay(ctx, request.Job)
		return err
	})
}

// giveWay waits until no burst of events is being ingested, the round's patience has
// ended, or somebody asks for maintenance. The error is that of ctx.
func (r round) giveWay(ctx context.Context, job string) (hasWaited bool, err error) {
	var wait *daemonapi.JobWait
	defer func() { r.ends(wait) }()
	for {
		over, asked := r.burst(), r.asked()
		if over == nil || asked == nil || r.patience.Err() != nil || ctx.Err() != nil {
			return wait != nil, context.Cause(ctx)
		}
		if wait == nil {
			wait = r.begins(job)
		}
		select {
		case <-over:
		case <-asked:
		case <-r.patience.Done():
		case <-ctx.Done():
		}
	}
}

// burst is closed at the end of the burst of events that is being ingested; nil: there is
// none.
func (u *Upkeep) burst() <-chan struct{} {
	if u.Burst == nil {
		return nil
	}
	over, _ := u.Burst()
	return over
}

// begins notes that a job waits.
func (r round) begins(job string) *daemonapi.JobWait {
	until, _ := r.patience.Deadline()
	wait := &daemonapi.JobWait{
		Job: job, Since: r.Now().UTC(),
		Until: r.Now().Add(time.Until(until)).UTC().Truncate(time.Second),
	}
	r.Log.Info("maintenance waits while a burst of events is ingested", "job", job, "at the latest until", wait.Until)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waits = append(r.waits, wait)
	return wait
}

// ends notes that a job waits no longer, if it did.
func (r round) ends(wait *daemonapi.JobWait) {
	if wait == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waits = slices.DeleteFunc(r.waits, func(one *daemonapi.JobWait) bool { return one == wait })
	r.Log.Info("maintenance waits no longer", "job", wait.Job, "waited", r.Now().Sub(wait.Since).Round(time.Millisecond))
}

// GivesWayTo is the burst of events that is being ingested, with the jobs that wait for its
// end, each once, in the order in which they came; nil: there is none.
func (u *Upkeep) GivesWayTo() *daemonapi.BurstStatus {
	if u.Burst == nil {
		return nil
	}
	over, since := u.Burst()
	if over == nil {
		return nil
	}
	return &daemonapi.BurstStatus{Since: since.UTC(), Waiting: u.waiting()}
}

func (u *Upkeep) waiting() []daemonapi.JobWait {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := make([]daemonapi.JobWait, 0, len(u.waits))
	for _, wait := range u.waits {
		all = append(all, *wait)
	}
	slices.SortStableFunc(all, func(a, b daemonapi.JobWait) int { return a.Since.Compare(b.Since) })
	named := map[string]bool{}
	return slices.DeleteFunc(all, func(one daemonapi.JobWait) bool {
		again := named[one.Job]
		named[one.Job] = true
		return again
	})
}
