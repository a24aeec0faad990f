// Package distiller lets a model distil sessions that ended or were compacted, if distillation is on: one at a time,
// from a queue in the store, within token limits. It asks through a distill.Model and stores through intake. It does
// not depend on the kind of model; package distill decides which parts of an answer are kept.
package distiller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Store has the methods of the store that this package needs; package storetest describes each.
type Store interface {
	memory.RecordReader
	memory.SessionLister
	memory.RowReader
	memory.TotalsReader
	History(ctx context.Context, id string) (memory.History, error)
	Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error)
	Commit(ctx context.Context, c memory.Commit) (missed []string, err error)
	Ingest(ctx context.Context, b memory.Batch) error
	memory.Leaser // lets one daemon of a store distil at a time
}

// Options are the dependencies and settings of a Distiller.
type Options struct {
	Store  Store
	Intake *intake.Intake
	// InForce returns the current settings and their model. If the model is nil nothing is asked.
	InForce func() (config.Distill, distill.Model)
	Counter memory.TokenCounter
	// Clean removes secrets from a text before it is sent.
	Clean func(string) string
	// WhyOff returns why memory is off now in the project of a session, or "". While it is off, nothing is sent, and no answer stored.
	WhyOff func(memory.Session) string
	// Receipts takes messages for the user.
	Receipts *receipts.Receipts
	// Changed is called with the ids of the memories that a run changed.
	Changed func(ctx context.Context, ids []string)
	Log     *slog.Logger
	Now     func() time.Time
}

// Distiller distils sessions. Its methods are safe for concurrent use.
type Distiller struct {
	Options

	running  sync.WaitGroup
	queued   atomic.Bool // whether to look at the queue again
	draining sync.Mutex  // held while the queue is worked on

	mu      sync.Mutex
	last    config.Distill // settings that were in force last
	stopped stop
	call    *daemonapi.RunningCall // nil if no model is being asked
}

// stop is the reason for a pause of the queue.
type stop struct {
	why   string
	until time.Time
}

// New returns a Distiller. It starts nothing.
func New(o Options) *Distiller {
	d := &Distiller{Options: o}
	d.last, _ = o.InForce()
	return d
}

// Enabled reports whether a model may be asked.
func (d *Distiller) Enabled() bool {
	settings, model := d.inForce()
	return settings.Enabled && model != nil
}

// inForce returns the current settings and their model. A change ends the pause of the queue.
func (d *Distiller) inForce() (config.Distill, distill.Model) {
	settings, model := d.InForce()
	d.mu.Lock()
	defer d.mu.Unlock()
	if settings != d.last {
		d.last, d.stopped = settings, stop{}
	}
	return settings, model
}

// errOff means that distillation is switched off.
var errOff = fmt.Errorf("distillation is switched off: it costs tokens and sends the words of sessions to a model. "+
	"memory distill --estimate 100 estimates the cost, memory distill on switches it on: %w", memory.ErrInvalid)

// errOffHere means that memory is off in the session's project.
var errOffHere = errors.New("nothing of the session is sent to a model")

// mayAsk returns errOff or errOffHere if no model may be asked about a session now, and no answer about it be stored.
func (d *Distiller) mayAsk(s memory.Session) error {
	if !d.Enabled() {
		return errOff
	}
	if why := d.WhyOff(s); why != "" {
		return fmt.Errorf("%w: %s", errOffHere, why)
	}
	return nil
}

func (d *Distiller) settings() config.Distill {
	settings, _ := d.inForce()
	return settings
}

// Wait waits for background work, which ends with the contexts that it was started with.
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
	// leaseMargin is the time that the work before and after a call may take.
	leaseMargin = time.Minute
	// saveTime limits a write that must be made even when the daemon ends.
	saveTime = 2 * time.Second
)

// mostCounted is the maximum number of queued sessions that are read at once.
const mostCounted = 10_000

func (d *Distiller) leaseTime() time.Duration { return d.settings().TimeLimit + leaseMargin }

func (d *Distiller) lease(ctx context.Context) (memory.Lease, error) {
	return d.Store.Lease(ctx, memory.Lease{Name: leaseName, Holder: memory.NewEventID(d.Now())}, d.leaseTime())
}

func (d *Distiller) release(ctx context.Context, lease memory.Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	_, _ = d.Store.Lease(ctx, lease, 0) // after an error the lease expires by itself
}
