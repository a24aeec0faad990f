// Package upkeep runs maintenance and backups: on their schedules, after sessions, and when somebody asks. Package
// policy decides the fate of a memory.
package upkeep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// Store has the methods of the store that this package needs; package storetest describes each.
type Store interface {
	consolidate.Store
	backup.Source
}

// Upkeep runs maintenance and backups. Its methods are safe for concurrent use.
type Upkeep struct {
	Store   Store
	Counter memory.TokenCounter
	Config  config.Config
	Log     *slog.Logger
	Now     func() time.Time
	Limits  policy.Limits // limits of the job prune; zero: policy.UsualLimits
	// Journal is the journal to compress and trim; nil if there is none.
	Journal *journal.Journal
	// Ledger writes to the journal; nil if nothing does.
	Ledger *journal.Ledger
	// Backups is the directory of the daily backups; empty for none. Version is the product's version, which each backup names.
	Backups string
	Version string
	// Changed is called with the memories that maintenance changed.
	Changed func(ctx context.Context, ids []string)

	backingUp sync.Mutex
	turn      sync.Mutex // held while a job runs
	running   sync.WaitGroup
	ended     atomic.Bool // whether a session has ended since the last AfterSessions

	mu        sync.Mutex
	triggered time.Time // time when inBackground last ran the jobs
}

// Wait waits for background jobs, which end with the contexts that they were started with.
func (u *Upkeep) Wait() { u.running.Wait() }

// Runner returns the daemon's runner of maintenance jobs.
func (u *Upkeep) Runner() *consolidate.Runner {
	return &consolidate.Runner{
		Store: u.Store, Counter: u.Counter, Limits: u.Limits, Now: u.Now, Log: u.Log,
		KeepEvents: time.Duration(u.Config.Events.KeepDays) * 24 * time.Hour, CloseAfter: u.Config.Maintenance.CloseAfter, Lease: u.Config.Maintenance.Lease, Refresh: u.Changed,
	}
}

// Maintain runs one maintenance job now.
func (u *Upkeep) Maintain(ctx context.Context, request consolidate.Request) (memory.Run, error) {
	for !u.turn.TryLock() { // the second caller would fail on the store's lease
		if !memory.Sleep(ctx, heldPoll) {
			return memory.Run{}, fmt.Errorf("other maintenance still runs, try again when it has ended: %w", context.Cause(ctx))
		}
	}
	defer u.turn.Unlock()
	run, err := u.Runner().Run(ctx, request)
	if err != nil {
		return run, err
	}
	if run.Examined > 0 || request.Trigger == triggerManual {
		u.Log.Info("maintenance ran", "job", request.Job, "trigger", request.Trigger, "examined", run.Examined,
			"changed", run.Changed, "tokens freed", run.TokensFreed, "took", run.EndedAt.Sub(run.StartedAt))
	}
	return run, nil
}

// Consolidate runs one maintenance job, or all jobs in their order. It stops at the first error.
func (u *Upkeep) Consolidate(ctx context.Context, p daemonapi.ConsolidateParams) ([]memory.Run, error) {
	names := schedule.JobNames()
	if p.Job != "" {
		names = []string{p.Job}
	}
	runs := []memory.Run{}
	for _, job := range names {
		run, err := u.maintainWhenFree(ctx, consolidate.Request{
			Job: job, Trigger: p.Trigger, All: p.All,
		})
		if err != nil {
			return runs, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// How long a requested job waits for another daemon that runs it, how often it checks, and how often it begins if the
// store is too busy to answer.
const (
	heldTime   = 10 * time.Minute
	heldPoll   = 500 * time.Millisecond
	mostBegins = 3
)

// maintainWhenFree runs a job when no other daemon runs it. If the store is too busy, it begins again and continues
// where it stopped.
func (u *Upkeep) maintainWhenFree(ctx context.Context, request consolidate.Request) (memory.Run, error) {
	until, busy := u.Now().Add(heldTime), 0
	for {
		run, err := u.Maintain(ctx, request)
		switch {
		case errors.Is(err, memory.ErrHeld):
			if u.Now().After(until) {
				return run, memory.Mark(fmt.Errorf("another daemon has been running %s for %s: try again when it has ended", request.Job, heldTime), err)
			}
		case errors.Is(err, memory.ErrUnavailable), errors.Is(err, memory.ErrLeaseLost):
			if busy++; busy == mostBegins {
				return run, err
			}
		default:
			return run, err
		}
		if !memory.Sleep(ctx, heldPoll) {
			return run, fmt.Errorf("run %s: %w", request.Job, errors.Join(context.Cause(ctx), err))
		}
	}
}

// Undo reverts the changes of a run.
func (u *Upkeep) Undo(ctx context.Context, p daemonapi.UndoParams) (memory.Run, error) {
	return u.Runner().Undo(ctx, p.Run, p.Trigger)
}

// The triggers of a job. For a change that somebody asks for, the trigger is the program's name.
const (
	triggerCron       = "cron"
	triggerIdle       = "idle"
	triggerSessionEnd = "session_end"
	triggerManual     = "manual"
)
