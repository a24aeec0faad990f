package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The states of a service.
const (
	stateStarting = "starting" // nobody tried yet whether the store can be had
	stateReady    = "ready"
	stateWaiting  = "waiting" // the store could not be had; it is tried again
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
	// Engine says which engine serves.
	Engine func() agentapi.EngineStatus
	// ReadyMark is a file that exists while the store is usable.
	ReadyMark string
	// Abandoned says that the agent's home is gone, and the agent should go too.
	Abandoned func() bool

	wake chan struct{}
	stop chan struct{}
	once sync.Once

	mu      sync.Mutex
	state   string
	reason  string
	changed chan struct{} // closed when the state changes
	used    time.Time
	idled   time.Time // when idle last ran maintenance

	background sync.WaitGroup // what handlers left running
}

// Run serves on the listener until ctx ends, somebody calls stop, the home is
// gone or nobody came for the idle time. Whatever it started has ended then.
func (s *Service) Run(ctx context.Context, listener net.Listener) error {
	s.wake, s.stop = make(chan struct{}, 1), make(chan struct{})
	s.changed, s.state, s.used = make(chan struct{}), stateStarting, s.Agent.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() { _ = os.Remove(s.ReadyMark) }()

	var work sync.WaitGroup
	defer s.saveInjections(ctx) // when no handler injects any more
	defer s.background.Wait()
	defer work.Wait()
	defer cancel() // before the wait
	served := make(chan error, 1)
	work.Go(func() {
		server := agentapi.Server{Handlers: s.withAdministration(s.handlers()), Log: s.Agent.Log}
		served <- server.Serve(ctx, listener)
	})
	work.Go(func() { s.work(ctx) })

	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-served:
			return err
		case <-s.stop:
			s.Agent.Log.Info("the agent ends: it was told to")
			return nil
		case <-ticker.C:
			s.nudge()
			if reason := s.needless(); reason != "" {
				s.Agent.Log.Info("the agent ends", "reason", reason)
				return nil
			}
		}
	}
}

// needless says why the agent is not needed any more, or "".
func (s *Service) needless() string {
	if s.Abandoned() {
		return "its home is gone"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if idle := s.Agent.Config.Agent.IdleExit; idle > 0 && s.Agent.Now().Sub(s.used) >= idle {
		return "nobody came for " + idle.String()
	}
	return ""
}

// work gets the store, and from then on empties the spool whenever it is nudged.
func (s *Service) work(ctx context.Context) {
	if !s.prepare(ctx) {
		return
	}
	for _, one := range s.Agent.Spools {
		if n, err := one.Recover(); err != nil {
			s.Agent.Log.Error("the spool could not be recovered", "spool", one.Dir(), "error", err)
		} else if n > 0 {
			s.Agent.Log.Info("events of an earlier agent are back in the spool", "spool", one.Dir(), "events", n)
		}
	}
	if err := s.Agent.learnAliases(ctx); err != nil {
		s.Agent.Log.Error("which projects were merged is not known yet", "error", err)
	}
	s.ingest(ctx) // before anybody asks: it may hold the session before this one
	if err := os.WriteFile(s.ReadyMark, nil, 0o600); err != nil {
		s.Agent.Log.Warn("hooks cannot see that the agent is ready", "error", err)
	}
	s.become(stateReady, "")
	schedule := s.schedule(ctx)
	defer func() { <-schedule.Stop().Done() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			s.settle(ctx)
			s.ingest(ctx)
			s.sessionsEnded(ctx)
			s.Agent.saveInjections(ctx)
			s.Agent.reload(ctx)
			s.background.Go(func() { s.Agent.embed(ctx) })
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
		s.Agent.Log.Error("the store cannot be had; events wait in the spool", "error", err, "next try in", pause)
		s.become(stateWaiting, err.Error())
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
}

// saveTime bounds what an ending service takes to store what it told.
const saveTime = 2 * time.Second

func (s *Service) saveInjections(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	s.Agent.saveInjections(ctx)
}

func (s *Service) ingest(ctx context.Context) {
	done, err := s.Agent.Ingest(ctx)
	switch {
	case err == nil && done == Ingested{}:
	case err == nil:
		s.Agent.Log.Info("ingested", "events", done.Events, "dead", done.Dead)
	case ctx.Err() == nil:
		s.Agent.Log.Error("the spool could not be emptied; it is tried again", "error", err)
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
	s.state, s.reason = state, reason
	close(s.changed)
	s.changed = make(chan struct{})
}

// ready waits until the store is usable. It answers at once when the store
// cannot be had, and memory.ErrUnavailable when ctx ends first.
func (s *Service) ready(ctx context.Context) error {
	for {
		s.mu.Lock()
		state, reason, changed := s.state, s.reason, s.changed
		s.mu.Unlock()
		switch state {
		case stateReady:
			return nil
		case stateWaiting:
			return fmt.Errorf("%w: %s", memory.ErrUnavailable, reason)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%w: the agent is still starting", memory.ErrUnavailable)
		}
	}
}

// touch notes that somebody needs the agent.
func (s *Service) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = s.Agent.Now()
}

func (s *Service) handlers() map[string]agentapi.Handler {
	return map[string]agentapi.Handler{
		agentapi.MethodSpooled:        agentapi.Handle(s.spooled),
		agentapi.MethodSessionContext: agentapi.Handle(s.sessionContext),
		agentapi.MethodRecall:         agentapi.Handle(s.recall),
		agentapi.MethodPlanSubagent:   agentapi.Handle(s.planSubagent),
		agentapi.MethodShouldAsk:      agentapi.Handle(s.shouldAsk),
		agentapi.MethodIdle:           agentapi.Handle(s.idle),
		agentapi.MethodIngest:         agentapi.Handle(s.ingestNow),
		agentapi.MethodMaintain:       agentapi.Handle(s.maintain),
		agentapi.MethodMemories:       agentapi.Handle(whenReady(s, s.Agent.Store.Memories)),
		agentapi.MethodCount:          agentapi.Handle(whenReady(s, s.Agent.Store.CountMemories)),
		agentapi.MethodSearch:         agentapi.Handle(whenReady(s, s.Agent.Store.Search)),
		agentapi.MethodRuns:           agentapi.Handle(whenReady(s, s.Agent.Store.Runs)),
		agentapi.MethodFind:           agentapi.Handle(soon(s, s.Agent.Find)),
		agentapi.MethodAnswer:         agentapi.Handle(soon(s, s.Agent.Answer)),
		agentapi.MethodGet:            agentapi.Handle(soon(s, s.Agent.Get)),
		agentapi.MethodExplain:        agentapi.Handle(soon(s, s.Agent.Explain)),
		agentapi.MethodVerify:         agentapi.Handle(soon(s, s.Agent.Verify)),
		agentapi.MethodAround:         agentapi.Handle(soon(s, s.Agent.Around)),
		agentapi.MethodKept:           agentapi.Handle(soon(s, s.Agent.Kept)),
		agentapi.MethodAmend:          agentapi.Handle(soon(s, s.Agent.Amend)),
		agentapi.MethodConsolidate:    agentapi.Handle(soon(s, s.Agent.Consolidate)),
		agentapi.MethodUndo:           agentapi.Handle(soon(s, s.Agent.Undo)),
		agentapi.MethodRun:            agentapi.Handle(soon(s, s.Agent.RunWithActions)),
		agentapi.MethodImport:         agentapi.Handle(soon(s, s.Agent.Import)),
		agentapi.MethodKnownSessions:  agentapi.Handle(soon(s, s.Agent.KnownSessions)),
		agentapi.MethodExport:         agentapi.Handle(soon(s, s.Agent.Export)),
		agentapi.MethodBackup:         agentapi.Handle(whenReady(s, s.backup)),
		agentapi.MethodStatus:         agentapi.Handle(s.status),
		agentapi.MethodStop:           agentapi.Handle(s.end),
	}
}

// whenReady makes a handler that waits for the store.
func whenReady[P, R any](s *Service, f func(context.Context, P) (R, error)) func(context.Context, P) (R, error) {
	return func(ctx context.Context, params P) (R, error) {
		s.touch()
		if err := s.ready(ctx); err != nil {
			var none R
			return none, err
		}
		return f(ctx, params)
	}
}

type nothing struct{}

func (s *Service) spooled(context.Context, nothing) (nothing, error) {
	s.touch()
	s.nudge()
	return nothing{}, nil
}

func (s *Service) sessionContext(ctx context.Context, p agentapi.SessionContextParams) (agentapi.ContextResult, error) {
	waiting, cancel := context.WithTimeout(ctx, milliseconds(p.WaitMS))
	defer cancel()
	result, err := whenReady(s, s.Agent.SessionContext)(waiting, p)
	if err == nil {
		s.background.Go(func() { s.Agent.warm(ctx, p.Project) })
	}
	return result, err
}

func (s *Service) recall(ctx context.Context, p agentapi.RecallParams) (agentapi.ContextResult, error) {
	ctx, cancel := context.WithTimeout(ctx, milliseconds(p.WaitMS))
	defer cancel()
	return whenReady(s, s.Agent.Recall)(ctx, p)
}

func (s *Service) shouldAsk(ctx context.Context, p agentapi.ShouldAskParams) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, milliseconds(p.WaitMS))
	defer cancel()
	return whenReady(s, s.Agent.ShouldAsk)(ctx, p)
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func (s *Service) planSubagent(_ context.Context, p agentapi.PlanSubagentParams) (nothing, error) {
	s.touch()
	s.Agent.subagents.add(p.Session, p.Type, p.Task)
	return nothing{}, nil
}

func (s *Service) ingestNow(ctx context.Context, _ nothing) (agentapi.IngestResult, error) {
	return whenReady(s, func(ctx context.Context, _ nothing) (agentapi.IngestResult, error) {
		done, err := s.Agent.Ingest(ctx)
		return agentapi.IngestResult{Events: done.Events, Dead: done.Dead}, err
	})(ctx, nothing{})
}

func (s *Service) maintain(ctx context.Context, p agentapi.MaintainParams) (memory.Run, error) {
	return whenReady(s, func(ctx context.Context, p agentapi.MaintainParams) (memory.Run, error) {
		return s.Agent.Maintain(ctx, consolidate.Request{Job: p.Job, Trigger: p.Trigger})
	})(ctx, p)
}

// statusTime bounds what the store may take to be counted for a status.
const statusTime = 2 * time.Second

func (s *Service) status(ctx context.Context, _ nothing) (agentapi.StatusResult, error) {
	backlog, err := s.Agent.Backlog()
	if err != nil {
		return agentapi.StatusResult{}, err
	}
	s.mu.Lock()
	result := agentapi.StatusResult{Version: s.Version, PID: os.Getpid(), State: s.state, Reason: s.reason}
	s.mu.Unlock()
	result.Engine = s.Engine()
	result.Vectors = s.Agent.meanings.count()
	result.Spool = agentapi.SpoolStatus{New: backlog.New, Claimed: backlog.Claimed, Dead: backlog.Dead}
	if result.State != stateReady {
		return result, nil
	}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	stats, err := s.Agent.Store.Stats(ctx)
	if errors.Is(err, memory.ErrUnavailable) {
		result.Reason = err.Error()
		return result, nil
	}
	result.Store = &stats
	return result, err
}

func (s *Service) end(context.Context, nothing) (nothing, error) {
	s.once.Do(func() { close(s.stop) })
	return nothing{}, nil
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
