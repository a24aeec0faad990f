package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
)

const (
	stateStarting   = "starting"   // not known yet whether the store is available
	stateInstalling = "installing" // the engine or its runtime is being installed
	stateReady      = "ready"
	stateWaiting    = "waiting" // the store is not available; the service tries again
)

const (
	// pollInterval is how often the spool is polled. A hook's notification may be lost.
	pollInterval = 5 * time.Second
	// The first and the longest pause between attempts to open the store.
	firstRetry   = time.Second
	longestRetry = 30 * time.Second
)

// Service keeps a Daemon running: it waits for the store, serves callers, and ends when it is told to or is not needed any more.
type Service struct {
	Daemon  *Daemon
	Version string
	// Prepare makes the store usable: it starts the engine and migrates the schema. It is called again after a failure.
	Prepare func(context.Context) error
	// Repair repairs a store that failed in use with memory.ErrStorage, memory.ErrSchema or memory.ErrDamaged. Its
	// error says why the store is still not usable.
	Repair func(ctx context.Context, fault error) error
	// Engine returns the description of the engine in use.
	Engine func() daemonapi.EngineStatus
	// Abandoned returns the reason why the daemon is not needed any more, for example because its home is gone, or
	// "". unused is the time since the last request.
	Abandoned func(unused time.Duration) string
	// AdoptPath adds the folders of a caller's PATH to the daemon's own, and reports whether one of them is new, so
	// that Prepare may now succeed.
	AdoptPath func(path string) bool
	// Outdated reports whether a caller's daemon is to replace this one.
	Outdated func(ctx context.Context, caller daemonapi.Caller) bool
	// Explain returns an error of Prepare or of the store as the user reads it.
	Explain func(error) daemonapi.Trouble
	// Dashboard starts to serve the dashboard, if necessary, and returns a key that signs in one browser; nil if it
	// is switched off.
	Dashboard func(context.Context, daemonapi.DashboardParams) (daemonapi.DashboardResult, error)

	wake  chan struct{}
	again chan struct{} // requests an attempt to Prepare before its time
	stop  chan struct{}
	once  sync.Once

	leaving sync.Once
	server  daemonserver.Server

	mu      sync.Mutex
	state   string
	reason  string
	trouble *daemonapi.Trouble
	failing time.Time     // time since which a ready store has been failing, or zero
	changed chan struct{} // closed when the state changes
	used    time.Time
	fault   error // failure that Repair has to repair, or nil

	background sync.WaitGroup // work that handlers have left running
}

// nudge makes the service empty the spool soon. It does not wait.
func (s *Service) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// setState sets the state with its reason and what the user can do; trouble is nil if nothing is wrong.
func (s *Service) setState(state, reason string, trouble *daemonapi.Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.reason, s.trouble = state, reason, trouble
	close(s.changed)
	s.changed = make(chan struct{})
}

// ready waits until the store is usable. It fails with memory.ErrUnavailable if ctx ends first or the store is not
// available. Unless patient is set, it also fails while the engine is being installed.
func (s *Service) ready(ctx context.Context, patient bool) error {
	for {
		s.mu.Lock()
		state, reason, changed := s.state, s.reason, s.changed
		s.mu.Unlock()
		unavailable := memory.Mark(errors.New(reason), memory.ErrUnavailable)
		switch {
		case state == stateReady:
			return nil
		case state == stateWaiting, state == stateInstalling && !patient:
			return unavailable
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if state == stateInstalling {
				return unavailable
			}
			return memory.Mark(errors.New("the daemon is still starting"), memory.ErrUnavailable)
		}
	}
}

func (s *Service) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == stateReady
}

func (s *Service) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = s.Daemon.now()
}

func (s *Service) unused() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Daemon.now().Sub(s.used)
}
