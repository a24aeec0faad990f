package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/jobs"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Runner makes the agent's runner of maintenance jobs.
func (u *Upkeep) Runner() *consolidate.Runner {
	return &consolidate.Runner{
		Store: consolidate.Owned(u.Store, u.Person), Counter: u.Counter, Rules: u.Config.Maintenance.Rules, Now: u.Now, Log: u.Log,
		CloseAfter: u.Config.Maintenance.CloseAfter, Lease: u.Config.Maintenance.Lease, Refresh: u.Changed,
		Files: u.Files,
	}
}

// Maintain runs one maintenance job now.
func (u *Upkeep) Maintain(ctx context.Context, request consolidate.Request) (memory.Run, error) {
	return u.maintain(ctx, request, nil)
}

// maintain runs one job, which calls giveWay between its steps, if that is not nil.
func (u *Upkeep) maintain(ctx context.Context, request consolidate.Request, giveWay func(context.Context) error) (memory.Run, error) {
	runner := u.Runner()
	runner.GiveWay = giveWay
	run, err := runner.Run(ctx, request)
	if err != nil {
		return run, err
	}
	if !request.DryRun {
		u.Ran(run)
	}
	if run.Examined > 0 || request.Trigger == triggerManual {
		u.Log.Info("maintenance ran", "job", request.Job, "trigger", request.Trigger, "examined", run.Examined,
			"changed", run.Changed, "tokens freed", run.TokensFreed, "took", run.EndedAt.Sub(run.StartedAt))
	}
	return run, nil
}

// Consolidate runs one maintenance job or all of them at once, in their order, whatever
// is being taken in. A dry run plans each on the store as it is and changes no memory.
func (u *Upkeep) Consolidate(ctx context.Context, p agentapi.ConsolidateParams) ([]memory.Run, error) {
	names := jobs.Names()
	if p.Job != "" {
		names = []string{p.Job}
	}
	defer u.ask()()
	runs := []memory.Run{}
	for _, job := range names {
		run, err := u.maintainWhenFree(ctx, consolidate.Request{
			Job: job, Trigger: p.Trigger, DryRun: p.DryRun, Force: p.Force, All: p.All,
		})
		if err != nil {
			return runs, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// How long a request for a job waits for the same job that is already running, and how
// often it tries again.
const (
	heldTime = 20 * time.Second
	heldPoll = 100 * time.Millisecond
)

// maintainWhenFree runs a job, after the same job if that is already running: an agent
// that has just started runs the jobs that were missed.
func (u *Upkeep) maintainWhenFree(ctx context.Context, request consolidate.Request) (memory.Run, error) {
	for until := u.Now().Add(heldTime); ; {
		run, err := u.Maintain(ctx, request)
		if !errors.Is(err, memory.ErrHeld) {
			return run, err
		}
		if u.Now().After(until) || !wait(ctx, heldPoll) {
			return run, fmt.Errorf("%s is being run already, try again when it is done: %w", request.Job, err)
		}
	}
}

// Undo reverts the changes of a run.
func (u *Upkeep) Undo(ctx context.Context, p agentapi.UndoParams) (memory.Run, error) {
	return u.Runner().Undo(ctx, p.Run, p.Trigger)
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

// The triggers of a job; a change that somebody asks for names the program instead.
const (
	triggerCron       = "cron"
	triggerMissed     = "missed" // its time passed while no agent ran
	triggerIdle       = "idle"
	triggerSessionEnd = "session_end"
	triggerCorrection = "correction"
	triggerManual     = "manual"
)
