package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// What can have a job run; a change that somebody asks for names the program.
const (
	triggerCron       = "cron"
	triggerMissed     = "missed" // its time passed while no agent ran
	triggerIdle       = "idle"
	triggerSessionEnd = "session_end"
	triggerManual     = "manual"
)

// timetable runs jobs when they are due: each job's slot once, whichever agent of
// the store comes first.
type timetable struct {
	agent *Agent
	crons map[string]cron.Schedule // by job
}

// schedule starts the cron jobs. What was missed is made up when the session that has
// started the agent no longer needs the store and the cores.
func (s *Service) schedule(ctx context.Context) *cron.Cron {
	c := newCron(s.Agent)
	t := newTimetable(s.Agent)
	t.enter(ctx, c)
	s.scheduleArchive(ctx, c)
	s.background.Go(func() {
		if wait(ctx, s.Agent.Config.Maintenance.Quiet) {
			t.catchUp(ctx)
		}
	})
	c.Start()
	return c
}

// newCron makes a cron in which a panic ends neither the agent nor the job's
// schedule, and a job never overlaps itself. Recover is the inner one: a panic that
// went through SkipIfStillRunning would leave it believing that the job runs for
// ever.
func newCron(a *Agent) *cron.Cron {
	logger := cronLogger{a.Log}
	return cron.New(cron.WithLogger(logger), cron.WithChain(cron.SkipIfStillRunning(logger), cron.Recover(logger)))
}

func newTimetable(a *Agent) timetable {
	t := timetable{agent: a, crons: map[string]cron.Schedule{}}
	for job, expression := range a.Config.Maintenance.Crons() {
		if expression == "" {
			continue // switched off
		}
		schedule, err := cron.ParseStandard(expression)
		if err != nil {
			a.Log.Error("maintenance is not scheduled: its cron expression cannot be used", "job", job, "error", err)
			continue
		}
		t.crons[job] = schedule
	}
	return t
}

// missedCheck is how often it is looked whether a job's time has passed unused: the
// timers of a machine that sleeps stand still.
const missedCheck = 10 * time.Minute

// enter has the jobs run by a cron.
func (t timetable) enter(ctx context.Context, c *cron.Cron) {
	for job, schedule := range t.crons {
		c.Schedule(schedule, cron.FuncJob(func() { t.due(ctx, job) }))
	}
	late := t.agent.Config.Maintenance.Jitter + t.lease()
	c.Schedule(cron.Every(missedCheck), cron.FuncJob(func() { t.makeUp(ctx, nil, late) }))
}

// due runs a job for the slot that has just come, a little later: agents on one
// store need not all ask at once.
func (t timetable) due(ctx context.Context, job string) {
	slot := lastSlot(t.crons[job], t.agent.Now())
	if wait(ctx, t.jitter(job, slot)) {
		t.run(ctx, job, triggerCron, slot)
	}
}

// jitter is at most half of the way to the next slot, so that none is skipped.
func (t timetable) jitter(job string, slot time.Time) time.Duration {
	most := t.agent.Config.Maintenance.Jitter
	if next := t.crons[job].Next(slot); !next.IsZero() {
		most = min(most, next.Sub(slot)/2)
	}
	if most <= 0 {
		return 0
	}
	return rand.N(most)
}

// catchUp ends what an agent that died left open, and runs each job once whose
// time passed while no agent ran. An agent that died lately may still hold leases.
func (t timetable) catchUp(ctx context.Context) {
	for {
		recovered, err := t.agent.Runner().Recover(ctx)
		if err != nil && ctx.Err() == nil {
			t.agent.Log.Error("interrupted maintenance could not be ended", "error", err)
		}
		if len(recovered.Again) > 0 {
			t.agent.Log.Warn("maintenance was interrupted and goes on", "jobs", recovered.Again)
		}
		t.makeUp(ctx, recovered.Again, 0)
		if err != nil || len(recovered.Held) == 0 || !wait(ctx, t.lease()) {
			return
		}
	}
}

// makeUp runs each job, in their order, whose slot passed some time ago and that
// nobody has run for it, and those that are to be run again.
func (t timetable) makeUp(ctx context.Context, again []string, late time.Duration) {
	for _, job := range consolidate.Jobs() {
		schedule, scheduled := t.crons[job]
		if !scheduled {
			continue
		}
		state, err := t.agent.Store.Job(ctx, job)
		if err != nil {
			if ctx.Err() == nil {
				t.agent.Log.Error("whether maintenance is due could not be read", "job", job, "error", err)
			}
			return
		}
		slot := lastSlot(schedule, t.agent.Now().Add(-late))
		switch {
		case state.Slot.Before(slot):
			t.run(ctx, job, triggerMissed, slot)
		case slices.Contains(again, job):
			t.run(ctx, job, triggerMissed, time.Time{})
		}
	}
}

// run runs a job for a slot, if nobody has. While somebody else is running it, it
// waits: that one may have died, and then its lease ends.
func (t timetable) run(ctx context.Context, job, trigger string, slot time.Time) {
	for {
		_, err := t.agent.Maintain(ctx, consolidate.Request{Job: job, Trigger: trigger, Slot: slot})
		if !errors.Is(err, memory.ErrHeld) {
			t.agent.tell(ctx, job, trigger, err)
			return
		}
		if !wait(ctx, t.lease()) {
			return
		}
		if now := lastSlot(t.crons[job], t.agent.Now()); !slot.IsZero() && now.After(slot) {
			slot = now // its own turn was skipped, because this one still waits
		}
	}
}

func (t timetable) lease() time.Duration {
	return t.agent.Runner().LeaseTime()
}

// tell logs how a job failed. That somebody else does it is no failure.
func (a *Agent) tell(ctx context.Context, job, trigger string, err error) {
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, consolidate.ErrDone), errors.Is(err, memory.ErrHeld):
		a.Log.Debug("maintenance is done elsewhere", "job", job, "trigger", trigger)
	default:
		a.Log.Error("maintenance failed", "job", job, "trigger", trigger, "error", err)
	}
}

// lastSlot is the latest time until now, now included, at which a schedule was
// due; the zero time if there was none for a year.
func lastSlot(schedule cron.Schedule, now time.Time) time.Time {
	const year = 366 * 24 * time.Hour
	for back := time.Hour; back <= year; back *= 2 {
		slot := schedule.Next(now.Add(-back))
		if slot.IsZero() || slot.After(now) {
			continue
		}
		for next := schedule.Next(slot); !next.After(now) && !next.IsZero(); next = schedule.Next(next) {
			slot = next
		}
		return slot.UTC()
	}
	return time.Time{}
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// idle runs all maintenance in the background, when a teammate has nothing to do.
func (s *Service) idle(ctx context.Context, _ nothing) (nothing, error) {
	s.touch()
	s.maintainAll(ctx, triggerIdle, 0)
	return nothing{}, nil
}

// sessionsEnded runs all maintenance in the background if a session has ended since
// it was last asked; a little later, because another session often starts then.
func (s *Service) sessionsEnded(ctx context.Context) {
	if s.Agent.ended.Swap(false) {
		s.maintainAll(ctx, triggerSessionEnd, s.Agent.Config.Maintenance.Quiet)
	}
}

// maintainAll runs all maintenance in the background, after a delay, at most once in
// the configured interval, whatever triggers it.
func (s *Service) maintainAll(ctx context.Context, trigger string, delay time.Duration) {
	now := s.Agent.Now()
	s.mu.Lock()
	due := s.state == stateReady && now.Sub(s.idled) >= s.Agent.Config.Hooks.TeammateIdle.Interval
	if due {
		s.idled = now
	}
	s.mu.Unlock()
	if !due {
		return
	}
	s.background.Go(func() {
		if !wait(ctx, delay) {
			return
		}
		for _, job := range consolidate.Jobs() {
			_, err := s.Agent.Maintain(ctx, consolidate.Request{Job: job, Trigger: trigger})
			s.Agent.tell(ctx, job, trigger, err)
		}
	})
}
