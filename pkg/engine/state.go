package engine

import (
	"context"
	"path/filepath"
	"sync"
	"time"
)

// child is one run of the engine's process.
type child struct {
	pid     int
	cancel  context.CancelFunc
	ended   chan struct{} // closed when the process was reaped
	err     error         // why it ended; to be read after ended
	address func(context.Context) (string, error)
}

// Supervisor keeps one engine running until Stop. All its methods may be called at the same time.
type Supervisor struct {
	options Options
	choice  Choice
	secret  string
	cancel  context.CancelFunc
	kill    context.CancelFunc
	done    chan struct{}
	hasData bool // files that must be there whenever the engine is started

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever one of the fields below changes
	endpoint Endpoint      // its URL is empty while the engine is not up
	state    State
	running  *child
	reason   string // of the Restart that is under way
	wide     bool   // the next start is one with large write buffers
	stopped  bool
	wanted   bool // somebody waits for one that sleeps
}

// State is the state of an engine at one moment.
type State struct {
	PID      int       // 0 while there is no process of ours
	Restarts int       // how often it was started again
	Err      error     // why it last ended or could not start; nil if that never happened
	Silent   time.Time // since when it has not answered; zero: it does. It is ended and started again within 30 seconds
	Asleep   bool      // it was ended because it had nothing to do, until it is needed
}

// State returns the engine's present state.
func (s *Supervisor) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Choice returns the engine that runs.
func (s *Supervisor) Choice() Choice { return s.choice }

func (s *Supervisor) recordPath() string { return filepath.Join(s.options.RunDir, recordFile) }

func (s *Supervisor) dataURL() string {
	if s.options.InMemory {
		return "mem://"
	}
	return s.choice.Storage + "://" + s.options.DataPath
}

func (s *Supervisor) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	close(s.changed)
	s.changed = make(chan struct{})
}
