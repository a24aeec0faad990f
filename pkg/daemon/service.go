package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
)

// The states of a service.
const (
	stateStarting   = "starting"   // nobody knows yet whether the store is available
	stateInstalling = "installing" // the engine or its runtime is being installed
	stateReady      = "ready"
	stateWaiting    = "waiting" // the store is not available; it is tried again
)

const (
	// pollInterval is how often the spool is polled: hooks that wrote to the fallback
	// spool send no notification.
	pollInterval = 5 * time.Second
	// The pauses between attempts to get the store.
	firstRetry   = time.Second
	longestRetry = 30 * time.Second
)

// Service keeps a Daemon resident: it waits for the store, serves callers, and ends when it is told
// to or is not needed any more.
type Service struct {
	Daemon  *Daemon
	Version string
	// Prepare makes the store usable: its engine and its schema. It is called again after a
	// failure.
	Prepare func(context.Context) error
	// Mend repairs a store that failed while it was in use with memory.ErrStorage, memory.ErrSchema or
	// memory.ErrDamaged. Its error is the reason why the store is still not usable.
	Mend func(ctx context.Context, fault error) error
	// Notice is a file that records how the store was repaired without asking.
	Notice string
	// Engine describes the engine that serves.
	Engine func() daemonapi.EngineStatus
	// ReadyMarker is a file that exists while the store is usable.
	ReadyMarker string
	// IsFallback reports whether a folder may be a fallback spool of this home, wherever it lies;
	// nil: no folder is.
	IsFallback func(dir string) bool
	// Beat is the heartbeat file, touched while the daemon is in use; empty: there is
	// none.
	Beat string
	// Abandoned returns why the daemon is not needed any more, such as that its home is gone, or
	// "". Its argument is the time since the last request.
	Abandoned func(unused time.Duration) string
	// Superseded reports whether another daemon is to replace this one; nil: never.
	Superseded func() bool
	// AdoptPath adds the folders of a caller's PATH to the daemon's own. It reports whether one was
	// new, so that Prepare may succeed now; nil: callers' PATHs are not used.
	AdoptPath func(path string) bool
	// Outdated reports whether the daemon of a caller is to replace this one; nil: never.
	Outdated func(ctx context.Context, caller daemonapi.Caller) bool
	// Explain puts an error of Prepare or of the store into words for the user; nil:
	// the error's own text, with the advice to run doctor.
	Explain func(error) daemonapi.Trouble
	// Dashboard makes the dashboard listen, if it does not yet, and returns a key that
	// lets one browser in; nil: it is switched off.
	Dashboard func(context.Context, daemonapi.DashboardParams) (daemonapi.DashboardResult, error)

	wake  chan struct{}
	again chan struct{} // asks to try Prepare again before its time
	stop  chan struct{}
	once  sync.Once

	leaving sync.Once
	server  daemonserver.Server

	counts counts

	mu      sync.Mutex
	state   string
	reason  string
	trouble *daemonapi.Trouble
	failing time.Time     // the time since which a ready store fails, or zero
	changed chan struct{} // closed when the state changes
	used    time.Time
	fault   error // the store's failure that Mend is to repair, or nil

	background sync.WaitGroup // work that handlers left running
}

// nudge makes the service empty the spool soon; it never waits.
func (s *Service) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Service) become(state, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.reason, s.trouble = state, reason, nil
	close(s.changed)
	s.changed = make(chan struct{})
}

// ready waits until the store is usable. It fails with memory.ErrUnavailable if ctx ends first, and
// at once if the store is not available, or if the engine is being installed and the caller is not
// patient.
func (s *Service) ready(ctx context.Context, patient bool) error {
	for {
		s.mu.Lock()
		state, reason, changed := s.state, s.reason, s.changed
		s.mu.Unlock()
		switch state {
		case stateReady:
			return nil
		case stateInstalling:
			if !patient {
				return fmt.Errorf("%w: %s", memory.ErrUnavailable, reason)
			}
		case stateWaiting:
			return fmt.Errorf("%w: %s", memory.ErrUnavailable, reason)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if state == stateInstalling {
				return fmt.Errorf("%w: %s", memory.ErrUnavailable, reason)
			}
			return fmt.Errorf("%w: the daemon is still starting", memory.ErrUnavailable)
		}
	}
}

func (s *Service) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == stateReady
}

// touch notes the time of the last request.
func (s *Service) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = s.Daemon.now()
}

// unused returns the time since the last request.
func (s *Service) unused() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Daemon.now().Sub(s.used)
}
