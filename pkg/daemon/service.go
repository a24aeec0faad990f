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
	stateStarting   = "starting"   // it is not known yet whether the store is available
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

// Service keeps an Daemon resident: it waits for the store, serves callers, and ends when it is asked
// to or is not needed any more.
type Service struct {
	Daemon  *Daemon
	Version string
	// Prepare makes the store usable: engine, schema. It is called again after a
	// failure.
	Prepare func(context.Context) error
	// Mend repairs a store that failed while it was in use with memory.ErrStorage, memory.ErrSchema or
	// memory.ErrDamaged. Its error is the reason why the store is still not usable.
	Mend func(ctx context.Context, fault error) error
	// Notice is a file that records how the store was repaired without asking.
	Notice string
	// Engine describes the engine that serves.
	Engine func() daemonapi.EngineStatus
	// ReadyMark is a file that exists while the store is usable.
	ReadyMark string
	// IsFallback reports whether a folder may be a fallback spool of this home, wherever it lies;
	// nil: none is.
	IsFallback func(dir string) bool
	// Beat is the heartbeat file, touched while the daemon is in use; empty: there is
	// none.
	Beat string
	// Abandoned is the reason why the daemon is not needed any more, such as that its home is gone, or
	// "". It is given the time since the last request.
	Abandoned func(unused time.Duration) string
	// Superseded reports whether another daemon is to replace this one; nil: none is.
	Superseded func() bool
	// AdoptPath has the daemon look for programs on a caller's PATH, too, and reports whether
	// that has a new folder, so that Prepare may succeed now; nil: callers' PATHs are not used.
	AdoptPath func(path string) bool
	// Outdated reports whether the daemon of a caller is to replace this one; nil: none is.
	Outdated func(ctx context.Context, caller daemonapi.Caller) bool
	// Explain puts an error of Prepare or of the store into words for the user; nil:
	// the error's own text, with the advice to run doctor.
	Explain func(error) daemonapi.Trouble
	// Dashboard makes the dashboard listen, if it does not yet, and returns a key that
	// lets one browser in; nil: it is switched off.
	Dashboard func(context.Context, daemonapi.DashboardParams) (daemonapi.DashboardResult, error)

	wake  chan struct{}
	again chan struct{} // to try Prepare again before its time
	stop  chan struct{}
	once  sync.Once

	leaving sync.Once
	server  daemonserver.Server

	counts counts

	mu      sync.Mutex
	state   string
	reason  string
	trouble *daemonapi.Trouble
	failing time.Time     // since when a ready store fails, or zero
	changed chan struct{} // closed when the state changes
	used    time.Time
	fault   error // of the store's storage, not repaired yet

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

// ready waits until the store is usable. It returns memory.ErrUnavailable at once when
// the store is not available, or when ctx ends first. Only a patient caller waits while
// the engine is being installed.
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

// unused is the time since the last request.
func (s *Service) unused() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Daemon.now().Sub(s.used)
}
