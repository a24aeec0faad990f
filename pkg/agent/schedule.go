package agent

import (
	"context"
	"errors"
	"math/rand/v2"
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

// schedule starts the cron jobs. A panic in one ends neither the agent nor the
// job's schedule, and a job never overlaps itself.
func (s *Service) schedule(ctx context.Context) *cron.Cron {
	logger := cronLogger{s.Agent.Log}
	c := cron.New(cron.WithLogger(logger), cron.WithChain(cron.Recover(logger), cron.SkipIfStillRunning(logger)))
	t := timetable{agent: s.Agent, crons: map[string]cron.Schedule{}}
	for job, expression := range s.Agent.Config.Maintenance.Crons() {
		if expression == "" {
			continue // switched off
		}
		schedule, err := cron.ParseStandard(expression)
		if err != nil {
			s.Agent.Log.Error("maintenance is not scheduled: its cron expression cannot be used", "job", job, "error", err)
			continue
		}
		t.crons[job] = schedule
		c.Schedule(schedule, cron.NewChain(cron.Recover(logger), cron.SkipIfStillRunning(logger)).Then(cron.FuncJob(func() {
			t.due(ctx, job)
		})))
	}
	s.scheduleArchive(ctx, c)
	s.background.Go(func() { t.catchUp(ctx) })
	c.Start()
	return c
}

// due runs a job for the slot that has just come, a little later: agents on one
// store need not all ask at once.
func (t timetable) due(ctx context.Context, job string) {
	slot := lastSlot(t.crons[job], t.agent.Now())
	if jitter := t.agent.Config.Maintenance.Jitter; jitter > 0 && !wait(ctx, rand.N(jitter)) {
		return
	}
	t.run(ctx, job, triggerCron, slot)
}

// catchUp ends what an agent that died left open, and runs each job once whose
// time passed while no agent ran.
func (t timetable) catchUp(ctx context.Context) {
	if jobs, err := t.agent.Runner().Recover(ctx); err != nil && ctx.Err() == nil {
		t.agent.Log.Error("interrupted maintenance could not be ended", "error", err)
	} else if len(jobs) > 0 {
		t.agent.Log.Warn("maintenance was interrupted and goes on", "jobs", jobs)
	}
	for _, job := range consolidate.Jobs() { // in their order
		schedule, scheduled := t.crons[job]
		if !scheduled {
			continue
		}
		state, err := t.agent.Store.Job(ctx, job)
		if err != nil {
			t.agent.Log.Error("whether maintenance is due could not be read", "job", job, "error", err)
			return
		}
		if slot := lastSlot(schedule, t.agent.Now()); state.Slot.Before(slot) {
			t.run(ctx, job, triggerMissed, slot)
		}
	}
}

// run runs a job for a slot, if nobody has.
func (t timetable) run(ctx context.Context, job, trigger string, slot time.Time) {
	_, err := t.agent.Maintain(ctx, consolidate.Request{Job: job, Trigger: trigger, Slot: slot})
	t.agent.tell(ctx, job, trigger, err)
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
	s.maintainAll(ctx, triggerIdle)
	return nothing{}, nil
}

// maintainAll runs all maintenance in the background, at most once in the
// configured interval, whatever triggers it.
func (s *Service) maintainAll(ctx context.Context, trigger string) {
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
		for _, job := range consolidate.Jobs() {
			_, err := s.Agent.Maintain(ctx, consolidate.Request{Job: job, Trigger: trigger})
			s.Agent.tell(ctx, job, trigger, err)
		}
	})
}
