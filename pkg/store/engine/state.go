package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// child is one run of the engine's process.
type child struct {
	pid      int
	cancel   context.CancelFunc
	greeting chan string   // gets the first line that the engine prints; empty if it printed none
	ended    chan struct{} // closed when the process was reaped
	err      error         // the reason of the end; valid after ended
}

// Supervisor keeps one engine running until Stop. Its methods are safe for concurrent use.
type Supervisor struct {
	Choice Choice // the chosen engine; not to be changed

	options Options
	secret  string
	cancel  context.CancelFunc
	kill    context.CancelFunc
	done    chan struct{}
	hasData bool // the data must exist at every start of the engine

	largeBuffers atomic.Bool   // the next start uses large write buffers
	rouse        chan struct{} // has an element if a caller may wait for a sleeping engine

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever a field below changes
	endpoint Endpoint      // empty while the engine is not running
	state    State
	running  *child
	reason   string // reason of the current Restart
	stopped  bool
}

type State struct {
	PID               int       // 0 while no process of ours runs
	Restarts          int       // number of restarts
	Err               error     // reason of the last end or failed start; nil if there was none
	UnresponsiveSince time.Time // time since which the engine has not answered; zero: it answers. A silent engine is replaced within 30 seconds
	Asleep            bool      // stopped for lack of requests; the next request starts it
}

func (s *Supervisor) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *Supervisor) recordPath() string { return filepath.Join(s.options.RunDir, recordFile) }

func (s *Supervisor) dataURL() string {
	if s.options.InMemory {
		return "mem://"
	}
	return "rocksdb://" + s.options.DataPath
}

// note writes a record of an engine that does not run, and returns it.
func (s *Supervisor) note() (record, error) {
	entry := record{User: engineUser, Pass: s.secret, Owner: os.Getpid(), Data: s.dataURL()}
	return entry, writeRecord(s.recordPath(), entry)
}

func (s *Supervisor) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	close(s.changed)
	s.changed = make(chan struct{})
}

const (
	recordFile = "engine.json"
	engineUser = "memory"
)

// record is the content of engine.json: address, credentials, and the process to end if its supervisor was killed.
type record struct {
	URL   string `json:"url,omitempty"`
	User  string `json:"user"`
	Pass  string `json:"pass"`
	PID   int    `json:"pid,omitempty"`
	Owner int    `json:"owner,omitempty"` // process ID of the supervisor
	Data  string `json:"data,omitempty"`
}

func writeRecord(path string, what record) error {
	if err := atomicfile.WriteJSON(path, what); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
