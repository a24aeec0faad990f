package distiller

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// mostTries is how often a session is tried before it is given up.
	mostTries = 3
	// firstPause is the wait of a session after its first failure; each further failure multiplies it by pauseFactor.
	firstPause  = 10 * time.Minute
	pauseFactor = 6
	// runnerPause is the pause of the queue after the runner itself has failed.
	runnerPause = time.Hour
)

// errStop means that the queue must pause.
var errStop = errors.New("the queue is paused")

// drain distils the due sessions of the queue, one after another.
func (d *Distiller) drain(ctx context.Context) error {
	if d.whyStopped() != "" {
		return errStop
	}
	lease, err := d.lease(ctx)
	if err != nil {
		return err
	}
	defer d.release(ctx, lease)
	if err := d.catchUp(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil && d.Enabled() {
		next, isDue, err := d.next(ctx)
		if err != nil || !isDue {
			return err
		}
		if _, err := d.Store.Lease(ctx, lease, d.leaseTime()); err != nil {
			return err
		}
		if _, err := d.take(ctx, next, lease); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// next returns the due session that ended first. A session waits while memory is off in its project. It also waits while an
// older session of its project is to be tried again: only what is stored already can be corrected by the newer session.
func (d *Distiller) next(ctx context.Context) (next memory.Distillation, isDue bool, err error) {
	rows, err := d.Store.Distillations(ctx, memory.DistillationQuery{
		States: []memory.DistillationState{memory.DistillationWaiting, memory.DistillationRunning}, Limit: mostCounted,
	})
	if err != nil || len(rows) == 0 {
		return next, false, err
	}
	ids := memory.Each(rows, func(row memory.Distillation) string { return row.Session })
	sessions, err := d.Store.Sessions(ctx, memory.SessionIDs(ids))
	if err != nil {
		return next, false, err
	}
	of := map[string]memory.Session{}
	for _, one := range sessions {
		of[one.ID] = one
	}
	slices.SortStableFunc(rows, func(a, b memory.Distillation) int { return memory.EndedFirst(of[a.Session], of[b.Session]) })
	retried := map[string]bool{} // projects with a session that is to be tried again
	for _, row := range rows {
		project := of[row.Session].Project
		switch {
		case retried[project] || d.WhyOff(of[row.Session]) != "":
		case !row.NextTry.After(d.Now()):
			return row, true, nil
		case row.Tries > 0:
			retried[project] = true
		}
	}
	return next, false, nil
}

// save stores the state of a queued session.
func (d *Distiller) save(ctx context.Context, row memory.Distillation, lease memory.Lease) error {
	_, err := d.Store.Commit(ctx, memory.Commit{Lease: &lease, Distillation: &row})
	return err
}

// take distils a queued session and saves the outcome. If take returns an error, the next session must wait. done is nil if the session did not begin.
func (d *Distiller) take(ctx context.Context, row memory.Distillation, lease memory.Lease) (done *session, err error) {
	if row.State == memory.DistillationRunning { // the daemon that asked has died
		if row = d.failed(row, errors.New("the daemon ended while it distilled this session")); row.State == memory.DistillationDead {
			return nil, d.save(ctx, row, lease)
		}
	}
	row.State = memory.DistillationRunning
	if err := d.save(ctx, row, lease); err != nil {
		return nil, err
	}
	done = &session{Distiller: d, row: row, lease: lease}
	failure := done.distill(ctx)
	row = done.row
	row.Notes = done.dropped[:min(mostNotes, len(done.dropped))]
	switch {
	case failure == nil:
		row.State, row.Tries = memory.DistillationDone, 0
	case ctx.Err() != nil:
		row.State, row.Reason = memory.DistillationWaiting, "the daemon ended"
	case errors.Is(failure, memory.ErrUnavailable), errors.Is(failure, memory.ErrLeaseLost):
		return done, failure
	case errors.Is(failure, errOff): // switched off during the call
		row.State, row.Reason = memory.DistillationWaiting, "distillation was switched off"
		err = errStop
	case errors.Is(failure, errOffHere): // next leaves it out until memory is on
		row.State, row.Reason = memory.DistillationWaiting, failure.Error()
	case errors.Is(failure, errDay):
		row.State, row.Reason, row.NextTry = memory.DistillationWaiting, failure.Error(), tomorrow(d.Now())
		d.stop(failure.Error(), row.NextTry)
		err = errStop
	case errors.Is(failure, distill.ErrRunner):
		row.State, row.Reason, row.NextTry = memory.DistillationWaiting, failure.Error(), d.Now().UTC().Add(runnerPause)
		d.stop(failure.Error(), row.NextTry)
		err = errStop
	default:
		row = d.failed(row, failure)
	}
	if failure != nil && ctx.Err() == nil {
		d.Log.Warn("a session was not distilled", "of", row.Session, "state", row.State, "tries", row.Tries, "reason", failure)
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	done.row = row
	return done, errors.Join(err, d.save(saving, row, lease))
}

// failed returns the state of a session after a failed try: waiting for the next one, or given up.
func (d *Distiller) failed(row memory.Distillation, failure error) memory.Distillation {
	row.Tries++
	row.State, row.Reason = memory.DistillationWaiting, d.Clean(failure.Error())
	pause := firstPause
	for range row.Tries - 1 {
		pause *= pauseFactor
	}
	row.NextTry = d.Now().UTC().Add(pause)
	if row.Tries >= mostTries {
		row.State = memory.DistillationDead
	}
	return row
}

func tomorrow(now time.Time) time.Time {
	y, m, day := now.UTC().Date()
	return time.Date(y, m, day+1, 0, 0, 0, 0, time.UTC)
}

func (d *Distiller) stop(why string, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = stop{d.Clean(why), until}
}

// whyStopped returns why the queue pauses now, or "".
func (d *Distiller) whyStopped() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Now().Before(d.stopped.until) {
		return d.stopped.why
	}
	return ""
}

// catchUp queues those of the newest ended sessions that were never queued (maintenance closed them, they were imported, or distillation
// was off), and those that went on and ended again while a model distilled them. It leaves out sessions that were given up.
func (d *Distiller) catchUp(ctx context.Context) error {
	most := d.settings().CatchUp
	if most == 0 {
		return nil
	}
	missed, err := d.undistilled(ctx, most, memory.DistillationWaiting, memory.DistillationRunning)
	if err != nil {
		return err
	}
	now := d.Now().UTC()
	queued := memory.Each(missed, func(s memory.Session) memory.Distillation {
		return memory.Distillation{Session: s.ID, State: memory.DistillationWaiting, Trigger: triggerCatchUp, NextTry: now, QueuedAt: now}
	})
	return d.Store.Ingest(ctx, memory.Batch{Queued: queued})
}

// undistilled returns, of the newest sessions (at most limit), those that are over and not distilled. It leaves out sessions that were given
// up or are in one of the states in others. A session that was distilled counts as undistilled only if it has gone on since it was queued.
func (d *Distiller) undistilled(ctx context.Context, limit int, others ...memory.DistillationState) ([]memory.Session, error) {
	newest, err := d.Store.Sessions(ctx, memory.LastSessions{Limit: limit})
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	ids := memory.Each(newest, func(s memory.Session) string { return s.ID })
	rows, err := d.Store.Distillations(ctx, memory.DistillationQuery{
		Sessions: ids, States: append(others, memory.DistillationDone, memory.DistillationDead), Limit: len(ids),
	})
	known := map[string]memory.Distillation{}
	for _, row := range rows {
		known[row.Session] = row
	}
	return slices.DeleteFunc(newest, func(s memory.Session) bool {
		row, isKnown := known[s.ID]
		return !s.State.IsOver() || isKnown && (row.State != memory.DistillationDone || !row.QueuedAt.Before(s.LastEventAt))
	}), err
}

// Start works on the queue every distill.every until ctx ends. stop waits for work that is under way.
func (d *Distiller) Start(ctx context.Context) (stop func()) {
	every := d.settings().Every
	if every <= 0 {
		return func() {}
	}
	c := cron.New()
	c.Schedule(cron.Every(every), cron.FuncJob(func() { d.Work(ctx) }))
	c.Start()
	return func() { <-c.Stop().Done() }
}

// compactionTime is the delay after a compaction, in which the last events before it are stored.
const compactionTime = 2 * time.Minute

// Committed queues the sessions that ended or were compacted. Imported ones, maybe hundreds, are left to catchUp.
func (d *Distiller) Committed(ctx context.Context, c intake.Committed) {
	if !d.Enabled() {
		return
	}
	now := d.Now().UTC()
	var all []memory.Distillation
	for _, e := range c.Events {
		next := memory.Distillation{Session: e.Session, State: memory.DistillationWaiting, NextTry: now, QueuedAt: now}
		switch e.Kind {
		case memory.EventSessionEnded:
			next.Trigger = triggerSessionEnd
		case memory.EventCompacting, memory.EventCompacted:
			next.Trigger, next.NextTry = triggerCompaction, now.Add(compactionTime)
		default:
			continue
		}
		all = append(all, next)
	}
	if len(all) == 0 {
		return
	}
	if err := d.Store.Ingest(ctx, memory.Batch{Queued: all}); err != nil {
		d.Log.Error("sessions are not distilled: they could not be queued", "sessions", len(all), "error", err)
		return
	}
	d.queued.Store(true)
}

// AfterSessions works on the queue in the background if a session was queued since the last time.
func (d *Distiller) AfterSessions(ctx context.Context) {
	if d.queued.Load() {
		d.Work(ctx)
	}
}

// Work works on the queue in the background; if that is already happening, once more afterwards.
func (d *Distiller) Work(ctx context.Context) {
	if !d.Enabled() {
		return
	}
	d.queued.Store(true)
	d.running.Go(func() {
		for d.queued.Load() && d.draining.TryLock() {
			d.queued.Store(false)
			err := d.drain(ctx)
			d.draining.Unlock()
			if err == nil {
				continue
			}
			if ctx.Err() == nil && !errors.Is(err, memory.ErrHeld) && !errors.Is(err, errStop) {
				d.Log.Error("the queue of distillation could not be worked off; it is tried again", "error", err)
			}
			return
		}
	})
}
