package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// timetable runs jobs when they are due. Each slot of a job is run once, by the daemon of the store that comes first.
type timetable struct {
	upkeep *Upkeep
	crons  map[string]cron.Schedule // by job
}

// Start runs the jobs and backups on their schedules until ctx ends. Jobs that were missed run a little later, so
// that they do not slow down the session that has just started the daemon. The caller must call stop, which waits for
// running jobs.
func (u *Upkeep) Start(ctx context.Context) (stop func()) {
	c := newCron(u.Log)
	t := newTimetable(u)
	t.enter(ctx, c)
	u.scheduleArchive(ctx, c)
	u.running.Go(func() {
		if wait(ctx, u.Config.Maintenance.Quiet) {
			t.catchUp(ctx)
		}
	})
	c.Start()
	return func() { <-c.Stop().Done() }
}

// newCron returns a cron that survives panics of jobs and skips a job that still runs. Recover must be the inner
// wrapper: after a panic through SkipIfStillRunning the job would count as running for ever.
func newCron(log *slog.Logger) *cron.Cron {
	logger := cronLogger{log}
	return cron.New(cron.WithLogger(logger), cron.WithChain(cron.SkipIfStillRunning(logger), cron.Recover(logger)))
}

// cronLogger is a cron.Logger that writes to slog, routine messages at debug level.
type cronLogger struct{ log *slog.Logger }

func (l cronLogger) Info(msg string, pairs ...any) { l.log.Debug("cron: "+msg, pairs...) }

func (l cronLogger) Error(err error, msg string, pairs ...any) {
	l.log.Error("cron: "+msg, append(pairs, "error", err)...)
}

func newTimetable(u *Upkeep) timetable {
	t := timetable{upkeep: u, crons: map[string]cron.Schedule{}}
	for job, expression := range u.Config.Maintenance.Crons {
		if expression == "" {
			continue // switched off
		}
		when, err := cron.ParseStandard(expression)
		if err != nil {
			u.Log.Error("maintenance is not scheduled: its cron expression cannot be used", "job", job, "error", err)
			continue
		}
		t.crons[job] = when
	}
	return t
}

// last returns the latest scheduled time until now (inclusive), or zero if there was none for a year.
func last(when cron.Schedule, now time.Time) time.Time {
	const year = 366 * 24 * time.Hour
	for back := time.Hour; back < 2*year; back *= 2 {
		at := when.Next(now.Add(-back))
		if at.IsZero() || at.After(now) {
			continue
		}
		for next := when.Next(at); !next.After(now); next = when.Next(next) {
			at = next
		}
		return at.UTC()
	}
	return time.Time{}
}

// missedCheck is how often the daemon looks for missed slots, because timers stop while the machine sleeps. It asks
// the store only about slots that it has not seen done.
const missedCheck = 10 * time.Minute

// enter adds the jobs to a cron.
func (t timetable) enter(ctx context.Context, c *cron.Cron) {
	for job, when := range t.crons {
		c.Schedule(when, cron.FuncJob(func() { t.due(ctx, job) }))
	}
	late := t.upkeep.Config.Maintenance.Jitter + t.lease()
	c.Schedule(cron.Every(missedCheck), cron.FuncJob(func() { t.makeUp(ctx, nil, late) }))
}

// due runs a job for the current slot, after a random delay, so that the daemons of a store do not all ask at once.
func (t timetable) due(ctx context.Context, job string) {
	slot := last(t.crons[job], t.upkeep.Now())
	if t.upkeep.hasNothingToDo(job) {
		t.upkeep.news.done(job, slot)
		return
	}
	if wait(ctx, t.jitter(job, slot)) {
		t.run(ctx, job, triggerCron, slot)
	}
}

// jitter returns a random delay of at most half of the time to the next slot, so that no slot is skipped.
func (t timetable) jitter(job string, slot time.Time) time.Duration {
	most := t.upkeep.Config.Maintenance.Jitter
	if next := t.crons[job].Next(slot); !next.IsZero() {
		most = min(most, next.Sub(slot)/2)
	}
	if most <= 0 {
		return 0
	}
	return rand.N(most)
}

// catchUp ends the runs that a dead daemon left open, and runs each job whose slot passed while no daemon ran, once.
// It tries again while the dead daemon's leases last.
func (t timetable) catchUp(ctx context.Context) {
	for {
		recovered, err := t.upkeep.Runner().Recover(ctx)
		if err != nil && ctx.Err() == nil {
			t.upkeep.Log.Error("interrupted maintenance runs could not be ended", "error", err)
		}
		if len(recovered.Again) > 0 {
			t.upkeep.Log.Warn("maintenance was interrupted; its jobs run again", "jobs", recovered.Again)
		}
		t.makeUp(ctx, recovered.Again, 0)
		if err != nil || len(recovered.Held) == 0 || !wait(ctx, t.lease()) {
			return
		}
	}
}

// makeUp runs the jobs in again, and the jobs whose latest slot was not run and is more than late ago, in the order
// of all jobs.
func (t timetable) makeUp(ctx context.Context, again []string, late time.Duration) {
	for _, job := range schedule.JobNames() {
		when, scheduled := t.crons[job]
		if !scheduled {
			continue
		}
		slot := last(when, t.upkeep.Now().Add(-late))
		if !slices.Contains(again, job) && t.isDone(job, slot) {
			continue
		}
		state, err := memory.StateOf(ctx, t.upkeep.Store, job)
		if err != nil {
			if ctx.Err() == nil {
				t.upkeep.Log.Error("the state of a maintenance job could not be read", "job", job, "error", err)
			}
			return
		}
		switch {
		case state.Slot.Before(slot):
			t.run(ctx, job, triggerMissed, slot)
		case slices.Contains(again, job):
			t.run(ctx, job, triggerMissed, time.Time{})
		default:
			t.upkeep.news.done(job, state.Slot)
		}
	}
}

// hasNothingToDo reports whether a job has seen all changes. It then need not query the store, which would wake the
// engine. It returns false if other daemons use the store, because they may have changed it.
func (u *Upkeep) hasNothingToDo(job string) bool { return u.Alone && u.news.isSeen(job, u.Now()) }

// isDone reports, without a query to the store, whether a slot needs no run.
func (t timetable) isDone(job string, slot time.Time) bool {
	if t.upkeep.hasNothingToDo(job) {
		t.upkeep.news.done(job, slot)
	}
	return t.upkeep.news.isDone(job, slot)
}

// run runs a job for a slot, unless another daemon has run it. It waits while another daemon runs it; if that one has
// died, its lease ends.
func (t timetable) run(ctx context.Context, job, trigger string, slot time.Time) {
	for {
		_, err := t.upkeep.Maintain(ctx, consolidate.Request{Job: job, Trigger: trigger, Slot: slot})
		if err == nil || errors.Is(err, consolidate.ErrDone) {
			t.upkeep.news.done(job, slot)
		}
		if !errors.Is(err, memory.ErrHeld) {
			t.upkeep.logFailure(ctx, job, trigger, err)
			return
		}
		if !wait(ctx, t.lease()) {
			return
		}
		slot = t.newest(job, slot)
	}
}

// newest returns the slot for a run that has waited: the latest one, because cron skips the slots that come
// meanwhile. A zero slot stays zero.
func (t timetable) newest(job string, slot time.Time) time.Time {
	if now := last(t.crons[job], t.upkeep.Now()); !slot.IsZero() && now.After(slot) {
		return now
	}
	return slot
}

func (t timetable) lease() time.Duration {
	return t.upkeep.Runner().LeaseTime()
}

// logFailure logs a job's failure. That another daemon runs the job is not a failure.
func (u *Upkeep) logFailure(ctx context.Context, job, trigger string, err error) {
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, consolidate.ErrDone), errors.Is(err, memory.ErrHeld):
		u.Log.Debug("maintenance is done elsewhere", "job", job, "trigger", trigger)
	default:
		u.Log.Error("maintenance failed", "job", job, "trigger", trigger, "error", err)
	}
}

// Idle runs all maintenance in the background. It is called when a teammate is idle.
func (u *Upkeep) Idle(ctx context.Context) {
	if u.claimInterval() {
		u.inBackground(ctx, triggerIdle, 0)
	}
}

// Committed counts a change of the store, and records whether a session has ended.
func (u *Upkeep) Committed(_ context.Context, c intake.Committed) {
	u.news.arrived()
	for _, e := range c.Events {
		if e.Kind == memory.EventSessionEnded {
			u.ended.Store(true)
		}
	}
}

// AfterSessions runs all maintenance in the background if a session has ended since the last call, after a short
// delay, because another session often starts then.
func (u *Upkeep) AfterSessions(ctx context.Context) {
	if u.ended.Swap(false) && u.claimInterval() {
		u.inBackground(ctx, triggerSessionEnd, u.Config.Maintenance.Quiet)
	}
}

// inBackground runs, after a delay, the jobs that are not switched off. It leaves out prune, which reads all rows of each
// project: once a day is enough for what fades.
func (u *Upkeep) inBackground(ctx context.Context, trigger string, delay time.Duration) {
	names := slices.DeleteFunc(schedule.JobNames(), func(job string) bool {
		return job == schedule.Prune || u.Config.Maintenance.Crons[job] == ""
	})
	u.running.Go(func() {
		if !wait(ctx, delay) {
			return
		}
		for _, job := range names {
			_, err := u.Maintain(ctx, consolidate.Request{Job: job, Trigger: trigger})
			u.logFailure(ctx, job, trigger, err)
		}
	})
}

// claimInterval reports whether all maintenance may be triggered now, and if so records the time. All triggers share
// one configured interval.
func (u *Upkeep) claimInterval() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := u.Now()
	if now.Sub(u.triggered) < u.Config.Hooks.IdleInterval {
		return false
	}
	u.triggered = now
	return true
}
