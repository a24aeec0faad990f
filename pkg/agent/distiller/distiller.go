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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Store is the store that this package reads and writes. Package storetest describes each
// method.
type Store interface {
	Sessions
	Memories
	Queue
	Leases
}

// Sessions are the sessions to distil.
type Sessions interface {
	SessionRecord(ctx context.Context, session string) (memory.SessionRecord, error)
	SessionRecords(ctx context.Context, ids []string) ([]memory.SessionRecord, error)
	SessionsByID(ctx context.Context, ids []string) ([]memory.Session, error)
	Sessions(ctx context.Context, project string, limit int) ([]memory.Session, error)
}

// Memories are the memories that a session may be about, and those that its facts
// replace.
type Memories interface {
	Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error
	Memories(ctx context.Context, f memory.Filter) ([]memory.Memory, error)
	Rows(ctx context.Context, ids []string) ([]memory.Row, error)
	History(ctx context.Context, id string) (memory.History, error)
	Commit(ctx context.Context, c memory.Commit) (missed []string, err error)
}

// Queue is the queue, and the record of costs.
type Queue interface {
	Enqueue(ctx context.Context, all []memory.Distillation) error
	Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error)
	SaveDistillation(ctx context.Context, d memory.Distillation, lease memory.Lease) error
	SaveSpend(ctx context.Context, s memory.Spend) error
	Spent(ctx context.Context, q memory.SpendQuery) ([]memory.SpendTotal, error)
}

// Leases let one agent of a store distil at a time.
type Leases interface {
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

const (
	leaseName = "distillation"
	// leaseMargin is how long the work beside a call may take.
	leaseMargin = time.Minute
	// saveTime bounds noting where a session stands when the agent ends.
	saveTime = 2 * time.Second
)

func (d *Distiller) leaseTime() time.Duration { return d.Settings.TimeLimit + leaseMargin }

func (d *Distiller) lease(ctx context.Context) (memory.Lease, error) {
	return d.Store.Acquire(ctx, leaseName, memory.NewEventID(d.Now()), d.leaseTime())
}

func (d *Distiller) release(ctx context.Context, lease memory.Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	_ = d.Store.Release(ctx, lease) // else it ends by itself
}
