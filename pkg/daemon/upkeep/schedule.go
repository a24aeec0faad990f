package upkeep

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// checkEvery is how often the daemon looks for due jobs.
const checkEvery = time.Minute

// Start runs the jobs and backups on their schedules until ctx ends. It begins a little later, so that missed jobs do not slow
// down the session that has just started the daemon. The caller must call stop, which waits for a running job.
func (u *Upkeep) Start(ctx context.Context) (stop func()) {
	var loops sync.WaitGroup
	done := map[string]time.Time{} // the latest slot of each job that needs no run
	loops.Go(func() {
		for pause := u.Config.Maintenance.Quiet; memory.Sleep(ctx, pause); pause = checkEvery {
			u.surviving(func() { u.check(ctx, done) })
		}
	})
	loops.Go(func() { // beside the jobs, because the folder of the backups may not answer
		for memory.Sleep(ctx, archiveCheck) {
			u.surviving(func() { u.Archive(ctx, parsed(BackupAt)) })
		}
	})
	return loops.Wait
}

// surviving calls work. It only logs a panic.
func (u *Upkeep) surviving(work func()) {
	defer func() {
		if cause := recover(); cause != nil {
			u.Log.Error("maintenance panicked, which is a bug", "cause", cause, "stack", string(debug.Stack()))
		}
	}()
	work()
}

// parsed returns the schedule of a cron expression, which must be an expression of this program.
func parsed(expression string) cron.Schedule {
	when, err := cron.ParseStandard(expression)
	if err != nil {
		panic(err)
	}
	return when
}

// last returns the latest time of a daily schedule until now (inclusive).
func last(when cron.Schedule, now time.Time) time.Time {
	at := when.Next(now.AddDate(0, 0, -2))
	for next := when.Next(at); !next.After(now); next = when.Next(next) {
		at = next
	}
	return at.UTC()
}

// check runs the jobs that were not run for the latest slot, in their order. It runs none if maintenance is switched
// off. Of all daemons of the store, the first one to come runs a job. If another daemon runs it, or the store does
// not answer, the next check looks at the job again. After any other failure the job waits for its next slot.
func (u *Upkeep) check(ctx context.Context, done map[string]time.Time) {
	if !u.Config.Maintenance.Enabled {
		return
	}
	slot := last(parsed(schedule.Daily), u.Now())
	for _, job := range schedule.JobNames() {
		if !slot.After(done[job]) {
			continue
		}
		_, err := u.Maintain(ctx, consolidate.Request{Job: job, Trigger: triggerCron, Slot: slot})
		u.logFailure(ctx, job, triggerCron, err)
		if !errors.Is(err, memory.ErrHeld) && !errors.Is(err, memory.ErrUnavailable) {
			done[job] = slot
		}
	}
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

// Idle runs all jobs except prune in the background. It is called when a teammate is idle.
func (u *Upkeep) Idle(ctx context.Context) {
	u.inBackground(ctx, triggerIdle, 0)
}

// Committed records that a session has ended, for AfterSessions.
func (u *Upkeep) Committed(_ context.Context, c intake.Committed) {
	for _, e := range c.Events {
		if e.Kind == memory.EventSessionEnded {
			u.ended.Store(true)
		}
	}
}

// AfterSessions runs all jobs except prune in the background if a session has ended since it last did, after a short
// delay, because another session often starts then.
func (u *Upkeep) AfterSessions(ctx context.Context) {
	if u.ended.Swap(false) && !u.inBackground(ctx, triggerSessionEnd, u.Config.Maintenance.Quiet) {
		u.ended.Store(true)
	}
}

// inBackground runs all jobs except prune after a delay, and returns true. It returns false if it did so within
// hooks.teammate_idle.interval, or if maintenance is switched off. prune reads all rows of each project: once a day is
// enough for what fades.
func (u *Upkeep) inBackground(ctx context.Context, trigger string, delay time.Duration) bool {
	now := u.Now()
	u.mu.Lock()
	isTooSoon := now.Sub(u.triggered) < u.Config.Hooks.IdleInterval
	if !isTooSoon {
		u.triggered = now
	}
	u.mu.Unlock()
	if isTooSoon || !u.Config.Maintenance.Enabled {
		return false
	}
	names := slices.DeleteFunc(schedule.JobNames(), func(job string) bool { return job == schedule.Prune })
	u.running.Go(func() {
		if !memory.Sleep(ctx, delay) {
			return
		}
		for _, job := range names {
			_, err := u.Maintain(ctx, consolidate.Request{Job: job, Trigger: trigger})
			u.logFailure(ctx, job, trigger, err)
		}
	})
	return true
}
