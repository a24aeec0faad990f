package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The states of a service.
const (
	stateStarting   = "starting"   // nobody tried yet whether the store can be had
	stateInstalling = "installing" // what the store needs is being installed
	stateReady      = "ready"
	stateWaiting    = "waiting" // the store could not be had; it is tried again
)

const (
	// pollInterval is how often the spool is looked at without being told: the
	// hooks of an older agent's time, or of the fallback spool, tell nobody.
	pollInterval = 5 * time.Second
	// The pauses between attempts to get the store.
	firstRetry   = time.Second
	longestRetry = 30 * time.Second
)

// Service keeps an Agent resident: it waits for the store, serves callers, and
// ends when it is told to or is not needed any more.
type Service struct {
	Agent   *Agent
	Version string
	// Prepare makes the store usable: engine, schema. It is called again after a
	// failure.
	Prepare func(context.Context) error
	// Mend helps a store that has failed while it was in use with memory.ErrStorage or
	// memory.ErrDamaged. Its error says why the store is still of no use.
	Mend func(ctx context.Context, fault error) error
	// Notice is a file that says what was done to the store without asking.
	Notice string
	// Engine says which engine serves.
	Engine func() agentapi.EngineStatus
	// ReadyMark is a file that exists while the store is usable.
	ReadyMark string
	// IsFallback says that a folder may be a fallback spool of this home, wherever
	// it lies; nil: none is.
	IsFallback func(dir string) bool
	// Beat is a file that is touched while the agent is in use; empty: none is.
	Beat string
	// Abandoned says why nobody needs the agent any more, such as that its home is
	// gone, or "". It is given the time since somebody last came.
	Abandoned func(unused time.Duration) string
	// Superseded says that another agent is to take this one's place; nil: none is.
	Superseded func() bool
	// Meet hears who asks, and whether the store is usable; nil: nobody cares.
	Meet func(caller agentapi.Caller, ready bool) Meeting
	// Explain puts an error of Prepare or of the store into words for the user; nil:
	// doctor does.
	Explain func(error) agentapi.Trouble

	wake  chan struct{}
	again chan struct{} // to try Prepare again before its time
	stop  chan struct{}
	once  sync.Once

	leaving sync.Once
	server  agentapi.Server

	mu      sync.Mutex
	state   string
	reason  string
	trouble *agentapi.Trouble
	failing time.Time     // since when a ready store takes nothing, or zero
	changed chan struct{} // closed when the state changes
	used    time.Time
	fault   error // of the store's storage, that nobody has mended

	background sync.WaitGroup // what handlers left running
}

// Run serves on the listener until ctx ends, somebody calls stop, the home is
// gone or nobody came for the idle time. Whatever it started has ended then.
func (s *Service) Run(ctx context.Context, listener net.Listener) error {
	s.wake, s.again, s.stop = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{})
	s.changed, s.state, s.used = make(chan struct{}), stateStarting, s.Agent.now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.unmark()

	var work sync.WaitGroup
	defer s.saveShown(ctx) // when no handler shows anything any more
	defer s.background.Wait()
	defer s.Agent.Upkeep.Wait()
	defer work.Wait()
	defer cancel() // before the wait
	s.server.Handlers, s.server.Log = s.handlers(), s.Agent.log
	served := make(chan error, 1)
	work.Go(func() {
		served <- s.server.Serve(ctx, listener)
	})
	work.Go(func() { s.work(ctx) })

	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	s.beat()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-served:
			return err
		case <-s.stop:
			s.Agent.log.Info("the agent ends: it was told to")
			return nil
		case <-ticker.C:
			s.beat()
			s.nudge()
			if s.Superseded != nil && s.Superseded() {
				s.leave(ctx)
			}
			if reason := s.needless(); reason != "" {
				s.Agent.log.Info("the agent ends", "reason", reason)
				return nil
			}
		}
	}
}

// needless says why the agent is not needed any more, or "".
func (s *Service) needless() string {
	unused := s.unused()
	if reason := s.Abandoned(unused); reason != "" {
		return reason
	}
	if idle := s.Agent.config.Agent.IdleExit; idle > 0 && unused >= idle {
		return "nobody came for " + idle.String()
	}
	return ""
}

// work gets the store, and from then on empties the spool whenever it is nudged.
func (s *Service) work(ctx context.Context) {
	if !s.prepare(ctx) {
		return
	}
	s.Agent.Intake.Spools.Recover()
	if err := s.Agent.Intake.LearnAliases(ctx); err != nil {
		s.Agent.log.Error("which projects were merged is not known yet", "error", err)
	}
	s.ingest(ctx) // before anybody asks: it may hold the session before this one
	if err := os.WriteFile(s.ReadyMark, nil, 0o600); err != nil {
		s.Agent.log.Warn("hooks cannot see that the agent is ready", "error", err)
	}
	s.become(stateReady, "")
	stopUpkeep := s.Agent.Upkeep.Start(ctx)
	defer stopUpkeep()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			s.settle(ctx)
			s.ingest(ctx)
			if !s.mended(ctx) {
				continue
			}
			s.Agent.Upkeep.AfterSessions(ctx)
			s.Agent.Sessions.Save(ctx)
			s.Agent.Briefing.Reload(ctx)
			s.background.Go(func() { s.Agent.Briefing.Embed(ctx) })
		}
	}
}

// prepare tries until the store is usable, or ctx ends and it answers false.
func (s *Service) prepare(ctx context.Context) bool {
	for pause := firstRetry; ; pause = min(2*pause, longestRetry) {
		err := s.Prepare(ctx)
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		s.Agent.log.Error("the store cannot be had; events wait in the spool", "error", err, "next try in", pause)
		s.wait(err)
		select {
		case <-ctx.Done():
			return false
		case <-s.again:
			pause = firstRetry / 2 // doubled before the next
		case <-time.After(pause):
		}
	}
}

// saveTime bounds what an ending service takes to store what it told. With what the
// engine may take to end, who stops the agent is answered within two seconds.
const saveTime = 600 * time.Millisecond

func (s *Service) saveShown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	s.Agent.Sessions.Save(ctx)
}

func (s *Service) ingest(ctx context.Context) {
	done, err := s.Agent.Intake.Ingest(ctx)
	if errors.Is(err, intake.ErrNotOurs) {
		s.endAtOnce(err)
		return
	}
	if ctx.Err() == nil {
		s.judge(err)
	}
	switch {
	case err == nil && done == intake.Ingested{}:
	case err == nil:
		s.Agent.log.Info("ingested", "events", done.Events, "dead", done.Dead)
	case ctx.Err() == nil:
		s.Agent.log.Error("the spool could not be emptied; it is tried again", "error", err)
		s.suspect(err)
	}
}

// nudge has the spool emptied soon; it never waits.
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

// ready waits until the store is usable. It answers at once when the store
// cannot be had, and memory.ErrUnavailable when ctx ends first. Only who is patient
// waits while the engine is being installed.
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
			return fmt.Errorf("%w: the agent is still starting", memory.ErrUnavailable)
		}
	}
}

func (s *Service) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == stateReady
}

// touch notes that somebody needs the agent.
func (s *Service) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = s.Agent.now()
}

func (s *Service) end(context.Context, agentapi.None) (agentapi.None, error) {
	s.once.Do(func() { close(s.stop) })
	return agentapi.None{}, nil
}

// settleTime is how long events may gather after the first was told of. The hook
// that told of it is still ending, and on two cores the work on its event would
// slow it down; what comes in a burst is one transaction.
const settleTime = 25 * time.Millisecond

func (s *Service) settle(ctx context.Context) {
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
