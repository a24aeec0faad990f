package distiller

import (
	"context"
	"slices"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Start has the queue looked through every distill.every, until ctx ends. A start asks
// nothing by itself: queued sessions wait for that or the next session. The function it
// returns waits for a running job.
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

// compactionTime is how long after a compaction began the part before it is asked about:
// the last events of that part are stored by then.
const compactionTime = 2 * time.Minute

// Committed puts the sessions into the queue that have ended or were compacted. Imported
// ones are left out, because there may be hundreds: see catchUp.
func (d *Distiller) Committed(ctx context.Context, c intake.Committed) {
	if !d.Enabled() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.ended = d.ended || slices.ContainsFunc(c.Events,
			func(e memory.Event) bool { return e.Kind == memory.EventSessionEnded })
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
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queued = true
}

// AfterSessions looks through the queue in the background if something was put into it
// since it was last asked.
func (d *Distiller) AfterSessions(ctx context.Context) {
	d.mu.Lock()
	queued, ended := d.queued, d.ended
	d.ended = false
	d.mu.Unlock()
	if queued {
		d.Work(ctx)
	}
	if ended {
		d.running.Go(func() {
			if err := d.Bill(ctx); err != nil && ctx.Err() == nil {
				d.Log.Warn("the cost of a model for the last sessions could not be estimated", "error", err)
			}
		})
	}
}

// Work looks through the queue in the background, unless that is being done.
func (d *Distiller) Work(ctx context.Context) {
	if !d.Enabled() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.queued = false; d.active {
		d.queued = true // the one that is at it looks again
		return
	}
	d.active = true
	d.running.Go(func() { d.drain(ctx) })
}
