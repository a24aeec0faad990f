package daemon

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Run serves callers until ctx ends, the service is stopped, or the daemon is not needed any more. When it returns,
// all its goroutines have ended.
func (s *Service) Run(ctx context.Context, listener net.Listener) error {
	s.wake, s.again, s.stop = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{})
	s.changed, s.state, s.used = make(chan struct{}), stateStarting, s.Daemon.now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.removeMarkers()

	var work sync.WaitGroup
	defer s.saveShown(ctx) // runs after the last handler has ended
	defer s.background.Wait()
	defer s.Daemon.Upkeep.Wait()
	defer s.Daemon.Distiller.Wait()
	defer work.Wait()
	defer cancel() // runs before the wait
	s.server.Handlers, s.server.Log = s.handlers(), s.Daemon.log
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
			s.Daemon.log.Info("the daemon ends: it was asked to")
			return nil
		case <-ticker.C:
			s.beat()
			s.nudge()
			if reason := s.unneeded(); reason != "" {
				s.Daemon.log.Info("the daemon ends", "reason", reason)
				return nil
			}
		}
	}
}

// unneeded returns the reason why the daemon is not needed any more, or "".
func (s *Service) unneeded() string {
	unused := s.unused()
	if reason := s.Abandoned(unused); reason != "" {
		return reason
	}
	limits := s.Daemon.config.Daemon
	if limits.IdleExit > 0 && unused >= limits.IdleExit {
		return "no request for " + limits.IdleExit.String()
	}
	if limits.EndedExit > 0 && unused >= limits.EndedExit && !s.Daemon.Sessions.AnyOpen() {
		return "no session is open, and no request came for " + limits.EndedExit.String()
	}
	return ""
}

// work prepares the store, and then empties the spool after each nudge until ctx ends.
func (s *Service) work(ctx context.Context) {
	if !s.prepare(ctx) {
		return
	}
	s.Daemon.Intake.Spools.Recover()
	if err := s.Daemon.Intake.LearnAliases(ctx); err != nil {
		s.Daemon.log.Error("the merged projects could not be read; it is tried again", "error", err)
	}
	s.ingest(ctx) // before the first request, because the spool may have the previous session
	s.setReady()
	stopUpkeep := s.Daemon.Upkeep.Start(ctx)
	defer stopUpkeep()
	defer s.Daemon.Distiller.Start(ctx)()
	if exchange := s.Daemon.exchange; exchange != nil {
		s.background.Go(func() { exchange.Run(ctx) })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			_ = memory.Sleep(ctx, settleTime)
			s.ingest(ctx)
			if !s.repaired(ctx) {
				continue
			}
			s.Daemon.Intake.TakeBack(ctx) // before a model is asked about the sessions
			s.Daemon.Upkeep.AfterSessions(ctx)
			s.Daemon.Distiller.AfterSessions(ctx)
			s.Daemon.Sessions.Save(ctx)
			s.Daemon.Briefing.Reload(ctx)
			s.background.Go(func() { s.Daemon.Auto.Check(ctx) })
		}
	}
}

// saveTime limits how long storing the injections may take when the daemon ends. "memory daemon stop", which also
// ends the engine, must return within two seconds.
const saveTime = 600 * time.Millisecond

func (s *Service) saveShown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	s.Daemon.Sessions.Save(ctx)
}

func (s *Service) ingest(ctx context.Context) {
	done, err := s.Daemon.Intake.Ingest(ctx)
	if errors.Is(err, intake.ErrHomeLost) {
		s.Daemon.log.Warn("the daemon ends", "reason", err)
		_, _ = s.end(ctx, daemonapi.None{})
		return
	}
	if ctx.Err() == nil {
		s.updateFailing(err)
	}
	switch {
	case err == nil && done == daemonapi.IngestResult{}:
	case err == nil:
		s.Daemon.log.Info("ingested", "events", done.Events, "dead", done.Dead)
	case ctx.Err() == nil:
		s.Daemon.log.Error("the spool could not be emptied; it is tried again", "error", err)
		s.suspect(err)
	}
}

// settleTime is the pause before events are ingested after a first notification. Events of a burst then become one
// transaction, and the work does not slow down the hook, which is still ending.
const settleTime = 25 * time.Millisecond

// setReady sets the state, and writes the file that hooks check before they ask.
func (s *Service) setReady() {
	if err := os.WriteFile(s.Daemon.layout.ReadyMarker(), nil, 0o600); err != nil {
		s.Daemon.log.Warn("the ready marker cannot be written; hooks will recall nothing", "error", err)
	}
	s.setState(stateReady, "", nil)
}

// repaired repairs the store if it has failed. It returns true when the store is usable, or false if ctx ends first.
// Meanwhile nothing is ingested, and requests fail with the reason.
func (s *Service) repaired(ctx context.Context) bool {
	s.mu.Lock()
	fault := s.fault
	s.mu.Unlock()
	if fault == nil {
		return true
	}
	_ = os.Remove(s.Daemon.layout.ReadyMarker()) // hooks check this file before they ask
	s.wait(fault)
	s.Daemon.log.Error("the store cannot be used; events wait on disk", "error", fault)
	isRepaired := s.retried(ctx, "the store could not be repaired", func() error {
		err := s.Repair(ctx, fault)
		if errors.Is(err, memory.ErrDamaged) {
			fault = err
		}
		return err
	})
	// After Repair the store may be another one, which needs the current schema.
	if !isRepaired || !s.prepare(ctx) {
		return false
	}
	if err := s.Daemon.Intake.Rewrite(ctx, func(context.Context) error { return nil }); err != nil {
		s.Daemon.log.Error("caches of the store could not be dropped and may be stale", "error", err)
	}
	s.mu.Lock()
	s.fault = nil
	s.mu.Unlock()
	s.Daemon.log.Info("the store can be used again")
	s.setReady()
	s.updateFailing(nil)
	s.nudge()
	return true
}

// prepare repeats Prepare until the store is usable. It returns false if ctx ends first.
func (s *Service) prepare(ctx context.Context) bool {
	return s.retried(ctx, "the store is not available; events wait on disk", func() error { return s.Prepare(ctx) })
}

// retried repeats an attempt with growing pauses until it succeeds; tryAgain ends a pause. It logs each failure, and
// returns false if ctx ends first.
func (s *Service) retried(ctx context.Context, failed string, attempt func() error) bool {
	for pause := firstRetry; ; pause = min(2*pause, longestRetry) {
		err := attempt()
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		s.Daemon.log.Error(failed, "error", err, "next try in", pause)
		if len(s.again) == 0 { // no tryAgain during the attempt
			s.wait(err)
		}
		select {
		case <-ctx.Done():
			return false
		case <-s.again:
			pause = firstRetry / 2 // the loop doubles it
		case <-time.After(pause):
		}
	}
}
