package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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
	s.Daemon.log.Error("the store cannot be used; events wait in the spool", "error", fault)
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
	if err := os.WriteFile(s.Daemon.layout.ReadyMarker(), nil, 0o600); err != nil {
		s.Daemon.log.Warn("the ready marker cannot be written; hooks will recall nothing", "error", err)
	}
	s.setState(stateReady, "", nil)
	s.updateFailing(nil)
	s.nudge()
	return true
}

// prepare repeats Prepare until the store is usable. It returns false if ctx ends first.
func (s *Service) prepare(ctx context.Context) bool {
	return s.retried(ctx, "the store is not available; events wait in the spool", func() error { return s.Prepare(ctx) })
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
