package distiller

import (
	"context"
	"errors"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Start makes the queue be checked every distill.every until ctx ends, for the first time after one interval. stop
// waits for a running check.
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

// compactionTime is the time from a compaction until the model distils the part of the session before it. By then the last
// events of the part are stored.
const compactionTime = 2 * time.Minute

// Committed queues the sessions that ended or were compacted. It leaves out imported sessions, of which there may be
// hundreds; see catchUp.
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
