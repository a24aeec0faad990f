// Package distiller lets a model distil the sessions that have ended, if that is switched
// on: one at a time, from a queue in the store, within limits of tokens. It asks through
// a distill.Model and stores through intake. It does not know how a model is asked, and
// package distill decides which parts of an answer are kept.
package distiller

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Store is the store that this package reads and writes. Package storetest describes each
// method.
type Store interface {
	// The sessions to distil.
	SessionRecord(ctx context.Context, session string) (memory.SessionRecord, error)
	SessionRecords(ctx context.Context, ids []string) ([]memory.SessionRecord, error)
	SessionsByID(ctx context.Context, ids []string) ([]memory.Session, error)
	Sessions(ctx context.Context, project string, limit int) ([]memory.Session, error)
	// The memories that a session may be about, and those that its facts replace.
	Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error
	Memories(ctx context.Context, f memory.Filter) ([]memory.Memory, error)
	Rows(ctx context.Context, ids []string) ([]memory.Row, error)
	History(ctx context.Context, id string) (memory.History, error)
	Commit(ctx context.Context, c memory.Commit) (missed []string, err error)
	// The queue, and the record of costs.
	Enqueue(ctx context.Context, all []memory.Distillation) error
	Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error)
	SaveDistillation(ctx context.Context, d memory.Distillation, lease memory.Lease) error
	SaveSpend(ctx context.Context, s memory.Spend) error
	Spent(ctx context.Context, q memory.SpendQuery) ([]memory.SpendTotal, error)
	// A lease lets one agent of a store distil at a time.
	Acquire(ctx context.Context, name, holder string, d time.Duration) (memory.Lease, error)
	Renew(ctx context.Context, l memory.Lease, d time.Duration) error
	Release(ctx context.Context, l memory.Lease) error
}

// Keeper stores a model's answers.
type Keeper interface {
	Distilled(ctx context.Context, e memory.Event) ([]memory.Memory, error)
}

// Options are the dependencies and settings of a Distiller.
type Options struct {
	Store    Store
	Keeper   Keeper
	Model    distill.Model // nil: nothing is ever asked
	Settings config.Distill
	Counter  tokens.Counter
	// Clean takes secrets out of a text before it is sent.
	Clean func(string) string
	// Changed is called with the memories that were superseded.
	Changed func(ctx context.Context, ids []string)
	Log     *slog.Logger
	Now     func() time.Time
}

// Distiller distils sessions. Its methods are safe for concurrent use.
type Distiller struct {
	Options

	running sync.WaitGroup
	on      atomic.Bool // distillation is switched on

	mu      sync.Mutex
	queued  bool // a session, since the queue was last looked through
	active  bool // the queue is being looked through
	stopped stop
}

// stop says why nothing is asked for a time.
type stop struct {
	why   string
	until time.Time
}

// New makes a distiller. It starts nothing.
func New(o Options) *Distiller {
	d := &Distiller{Options: o}
	d.on.Store(o.Settings.Enabled)
	return d
}

// Enabled says whether models may be asked at all.
func (d *Distiller) Enabled() bool { return d.on.Load() && d.Model != nil }

// Switch has models asked from now on, or no more. A call that is under way ends.
func (d *Distiller) Switch(on bool) { d.on.Store(on) }

// Wait waits for the work in the background. It ends when the contexts that it was
// started with end.
func (d *Distiller) Wait() { d.running.Wait() }

// The triggers of a distillation.
const (
	triggerSessionEnd = "session_end"
	triggerCompaction = "compaction"
	triggerCatchUp    = "catch_up"
	triggerManual     = "manual"
)

// Start has the queue looked through on its schedule, until ctx ends. A start asks
// nothing by itself: queued sessions wait for the schedule or the next session. The
// function it returns ends the schedule and waits for a running job.
func (d *Distiller) Start(ctx context.Context) (stop func()) {
	if d.Model == nil || d.Settings.Cron == "" {
		return func() {}
	}
	schedule, err := cron.ParseStandard(d.Settings.Cron)
	if err != nil {
		d.Log.Error("the queue of distillation is looked through after sessions only: distill.cron cannot be used", "error", err)
		return func() {}
	}
	c := cron.New()
	c.Schedule(schedule, cron.FuncJob(func() { d.Work(ctx) }))
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
	if err := d.Store.Enqueue(ctx, all); err != nil {
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
	queued := d.queued
	d.mu.Unlock()
	if queued {
		d.Work(ctx)
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
