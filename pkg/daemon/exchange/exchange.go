// Package exchange keeps the memories of a person's machines the same: once memory sync was set up, it exchanges
// letters when the daemon starts, when a session starts, and after a session has ended.
package exchange

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// settle is the delay of an exchange, after which the last events of a session are stored.
	settle = 5 * time.Second
	// firstPause is the pause after the first failure; each further failure doubles it. After mostTries, in about two
	// hours, the next session tries again.
	firstPause = time.Minute
	mostTries  = 8
)

// Exchanges runs exchanges in the background, one at a time. Its methods are safe for concurrent use.
type Exchanges struct {
	isSetUp func() bool
	sync    func(ctx context.Context) error
	log     *slog.Logger
	due     chan struct{} // full while an exchange is due
}

// New returns Exchanges that call sync for each exchange while isSetUp returns true. It starts nothing.
func New(isSetUp func() bool, sync func(ctx context.Context) error, log *slog.Logger) *Exchanges {
	return &Exchanges{isSetUp, sync, log, make(chan struct{}, 1)}
}

// Committed makes an exchange due when a session has started or ended.
func (x *Exchanges) Committed(_ context.Context, c intake.Committed) {
	if slices.ContainsFunc(c.Events, func(e memory.Event) bool {
		return e.Kind == memory.EventSessionStarted || e.Kind == memory.EventSessionEnded
	}) {
		x.wake()
	}
}

func (x *Exchanges) wake() {
	select {
	case x.due <- struct{}{}:
	default:
	}
}

// Run exchanges once at its start, and then whenever an exchange is due. It returns when ctx ends.
func (x *Exchanges) Run(ctx context.Context) {
	x.wake()
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.due:
		}
		if x.isSetUp() {
			x.exchange(ctx)
		}
	}
}

// exchange tries until an exchange succeeds, at most mostTries times, with longer and longer pauses. A session that
// starts or ends cuts a pause short.
func (x *Exchanges) exchange(ctx context.Context) {
	pause := firstPause
	after := time.NewTimer(settle)
	defer after.Stop()
	for try := range mostTries {
		select {
		case <-ctx.Done():
			return
		case <-after.C:
		case <-x.pauseEnds(try):
		}
		select {
		case <-x.due: // the exchange that begins now covers it
		default:
		}
		err := x.sync(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		x.log.Warn("the exchange with your other machines failed", "error", err, "tries", try+1)
		after.Reset(pause)
		pause *= 2
	}
}

// pauseEnds returns the channel that cuts the pause before a try short; nil before the first try, which always waits.
func (x *Exchanges) pauseEnds(try int) <-chan struct{} {
	if try == 0 {
		return nil
	}
	return x.due
}
