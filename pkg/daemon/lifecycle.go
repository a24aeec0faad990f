package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	// drainPause is how long a daemon that is to be replaced goes on at least, so that
	// the caller that replaces it still gets the answer to its next request.
	drainPause = 300 * time.Millisecond
	// drainTime bounds the wait for requests that are still being answered then.
	drainTime = 5 * time.Second
	drainPoll = 20 * time.Millisecond
	// beating is how long after its last use a daemon still updates its heartbeat file:
	// an idle daemon lets the disk sleep.
	beating = time.Hour
)

// meet takes note of the caller. No caller waits for the consequences.
func (s *Service) meet(ctx context.Context, c daemonapi.Caller) (daemonapi.None, error) {
	s.touch()
	if s.Outdated != nil {
		s.background.Go(func() {
			if s.Outdated(ctx, c) {
				s.leave(ctx)
			}
		})
	}
	if s.AdoptPath != nil && !s.isReady() && s.AdoptPath(c.Path) {
		s.tryAgain()
	}
	return daemonapi.None{}, nil
}

// tryAgain tries the store at once, or once more after an attempt that is under way. Requests wait for the outcome.
func (s *Service) tryAgain() {
	s.mu.Lock()
	waiting := s.state == stateWaiting
	s.mu.Unlock()
	if waiting {
		s.become(stateStarting, "")
	}
	select {
	case s.again <- struct{}{}:
	default:
	}
}

func (s *Service) ping(context.Context, daemonapi.None) (daemonapi.None, error) {
	return daemonapi.None{}, nil
}

// leave ends the service once no request is being answered.
func (s *Service) leave(ctx context.Context) {
	s.leaving.Do(func() {
		s.Daemon.log.Info("another daemon takes over; this one drains")
		s.background.Go(func() {
			s.drain(ctx)
			_, _ = s.end(ctx, daemonapi.None{})
		})
	})
}

func (s *Service) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	timer := time.NewTimer(drainPause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			if s.server.UnderWay() == 0 {
				return
			}
			timer.Reset(drainPoll)
		case <-ctx.Done():
			return
		}
	}
}

// endAtOnce ends the service at once.
func (s *Service) endAtOnce(reason error) {
	s.once.Do(func() {
		s.Daemon.log.Warn("the daemon ends", "reason", reason)
		close(s.stop)
	})
}

// beat updates the heartbeat file while the daemon is in use.
func (s *Service) beat() {
	if s.Beat == "" || s.unused() > beating || s.Daemon.Intake.NotOurs() != nil {
		return
	}
	now := time.Now() // not s.Daemon.now: it is compared with times of other files
	err := os.Chtimes(s.Beat, now, now)
	if errors.Is(err, os.ErrNotExist) {
		err = os.WriteFile(s.Beat, nil, 0o600)
	}
	if err != nil {
		s.Daemon.log.Debug("the heartbeat file cannot be updated; hooks may take the daemon for dead", "error", err)
	}
}

// unmark removes the ready mark and the heartbeat, unless they belong to another daemon.
func (s *Service) unmark() {
	if s.Daemon.Intake.NotOurs() != nil {
		return
	}
	_ = os.Remove(s.ReadyMark)
	if s.Beat != "" {
		_ = os.Remove(s.Beat)
	}
}

func (s *Service) end(context.Context, daemonapi.None) (daemonapi.None, error) {
	s.once.Do(func() { close(s.stop) })
	return daemonapi.None{}, nil
}
