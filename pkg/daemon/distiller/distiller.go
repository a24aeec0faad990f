// Package distiller lets a model distil the sessions that have ended, if distillation is switched on: one at a time,
// from a queue in the store, within limits of tokens. It asks through a distill.Model and stores through intake. It
// does not depend on the kind of model, and package distill decides which parts of an answer are kept.
package distiller

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Store is the store that this package reads and writes. Package storetest describes each
// method.
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

// Keeper stores a model's answers.
type Keeper interface {
	Distilled(ctx context.Context, e memory.Event) ([]memory.Memory, error)
}

// Options are the dependencies and settings of a Distiller.
type Options struct {
	Store  Store
	Keeper Keeper
	// InForce returns the present settings, and the model that they name; without a model nothing is asked.
	InForce func() (config.Distill, distill.Model)
	Counter memory.TokenCounter
	// Clean takes secrets out of a text before it is sent.
	Clean func(string) string
	// Asked is the file that was made when the user was asked about a model. Unpaid is the file for the estimate for
	// a user who does not answer; "" if none is to be written.
	Asked, Unpaid string
	// Receipts holds what the user is to be told.
	Receipts *receipts.Receipts
	// Changed is called with the ids of the memories that a run has changed.
	Changed func(ctx context.Context, ids []string)
	Log     *slog.Logger
	Now     func() time.Time
}

// Distiller distils sessions. Its methods are safe for concurrent use.
type Distiller struct {
	Options

	running sync.WaitGroup

	mu      sync.Mutex
	last    config.Distill // the settings that were in force last
	queued  bool           // a session was queued since the queue was last looked through
	active  bool           // the queue is being looked through
	ended   bool           // a session ended while no model may be asked
	stopped stop
	call    *running // nil: no model is being asked
}

// running is a call that has not ended.
type running struct {
	daemonapi.RunningCall
	end context.CancelCauseFunc
}

// stop is the reason why the queue pauses for a time.
type stop struct {
	why   string
	until time.Time
}

// New makes a distiller. It starts nothing.
func New(o Options) *Distiller {
	d := &Distiller{Options: o}
	d.last, _ = o.InForce()
	return d
}

// Enabled reports whether models may be asked at all.
func (d *Distiller) Enabled() bool {
	settings, model := d.inForce()
	return settings.Enabled && model != nil
}

// inForce returns the present settings and the model that they name. A change of the settings takes effect at once:
// it ends the pause of the queue and, if no model may be asked any more, the running call.
func (d *Distiller) inForce() (config.Distill, distill.Model) {
	settings, model := d.InForce()
	d.mu.Lock()
	defer d.mu.Unlock()
	if settings != d.last {
		d.last, d.stopped = settings, stop{}
	}
	if d.call != nil && (!settings.Enabled || model == nil) {
		d.call.end(errOff)
	}
	return settings, model
}

// errOff means that distillation is switched off.
var errOff = fmt.Errorf("distillation is switched off: it costs tokens and sends the words of sessions to a model. "+
	"memory distill --estimate 100 estimates the cost, memory distill on switches it on: %w", memory.ErrInvalid)

// lookTime is how often the settings are looked at during a call.
const lookTime = time.Second

// begin notes a call to a model. The context that it returns ends with ctx, or when no model may be asked any more;
// end notes that the call is over.
func (d *Distiller) begin(ctx context.Context, one daemonapi.RunningCall) (calling context.Context, end func()) {
	calling, cancel := context.WithCancelCause(ctx)
	d.mu.Lock()
	d.call = &running{one, cancel}
	d.mu.Unlock()
	ticker := time.NewTicker(lookTime)
	d.running.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				d.inForce()
			case <-calling.Done():
				return
			}
		}
	})
	return calling, func() {
		d.mu.Lock()
		d.call = nil
		d.mu.Unlock()
		cancel(nil)
	}
}

func (d *Distiller) settings() config.Distill {
	settings, _ := d.inForce()
	return settings
}

// State describes the settings in force: whether models are asked, and which.
func (d *Distiller) State() daemonapi.DistillState {
	settings, model := d.inForce()
	return daemonapi.DistillState{
		Enabled: settings.Enabled && model != nil, Receiver: settings.Receiver(),
		SessionTokens: settings.SessionTokens, DayTokens: settings.DayTokens,
	}
}

// Wait waits for the work in the background, which ends when the contexts that it was started with end.
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
	// leaseMargin is the time that the work beside a call may take.
	leaseMargin = time.Minute
	// saveTime limits a write that has to be made even when the daemon ends.
	saveTime = 2 * time.Second
)

// mostCounted bounds the sessions of the queue that are read at once.
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
