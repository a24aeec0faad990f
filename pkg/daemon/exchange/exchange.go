// Package exchange keeps the memories on a person's machines equal. Once memory sync is set up, it exchanges letters
// when the daemon starts and when a session starts or ends.
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
	// settle is the delay before an exchange, in which the last events of a session are stored.
	settle = 5 * time.Second
	// firstPause is the pause after the first failure; each further failure doubles it. After mostTries failures, which
	// is after about two hours, no exchange is tried until a session starts or ends.
	firstPause = time.Minute
	mostTries  = 8
)

// Exchanges runs exchanges in the background, one at a time. Its methods are safe for concurrent use.
type Exchanges struct {
	isSetUp func() bool
	sync    func(ctx context.Context) error
	log     *slog.Logger
	due     chan struct{} // holds one value while an exchange is due
}

// New returns an Exchanges that calls sync for each exchange, as long as isSetUp returns true. It starts nothing.
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

// Run makes one exchange when it starts, after settle, and another whenever one is due. It returns when ctx ends.
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

// exchange tries at most mostTries times, with growing pauses, until an exchange succeeds. A session that starts or
// ends shortens the pause after a failure.
func (x *Exchanges) exchange(ctx context.Context) {
	pause, sooner := settle, (chan struct{})(nil)
	for try := range mostTries {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		case <-sooner:
		}
		select {
		case <-x.due: // covered by the exchange that begins now
		default:
		}
		err := x.sync(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		x.log.Warn("the exchange with your other machines failed", "error", err, "tries", try+1)
		pause, sooner = firstPause<<try, x.due
	}
}
