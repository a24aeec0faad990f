package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	// drainPause is the minimum time for which a daemon that is to be replaced goes on serving: the caller still gets
	// an answer to its next request.
	drainPause = 300 * time.Millisecond
	// drainTime limits how long a daemon that is to be replaced waits for requests under way.
	drainTime = 5 * time.Second
	drainPoll = 20 * time.Millisecond
	// beating is the time for which a daemon goes on updating its heartbeat file after its last use; then the disk may sleep.
	beating = time.Hour
)

// hello ends this daemon in the background if the caller's build is newer. While the store is not ready, it adopts the folders of
// the caller's PATH. If one is new, the store may need a program in it, so hello makes the service try again to open the store.
func (s *Service) hello(ctx context.Context, c daemonapi.Caller) (daemonapi.None, error) {
	s.touch()
	s.background.Go(func() {
		if s.Outdated(ctx, c) {
			s.leave(ctx)
		}
	})
	if !s.isReady() && s.AdoptPath(c.Path) {
		s.tryAgain()
	}
	return daemonapi.None{}, nil
}

// tryAgain makes the service try to open the store at once, or again after the attempt under way. Requests wait meanwhile.
func (s *Service) tryAgain() {
	s.mu.Lock()
	waiting := s.state == stateWaiting
	s.mu.Unlock()
	if waiting {
		s.setState(stateStarting, "", nil)
	}
	select {
	case s.again <- struct{}{}:
	default:
	}
}

func (s *Service) ping(context.Context, daemonapi.None) (daemonapi.None, error) {
	return daemonapi.None{}, nil
}

// leave ends the service once no request is being answered, or after drainTime.
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
	for pause := drainPause; ; pause = drainPoll {
		if !memory.Sleep(ctx, pause) || s.server.UnderWay() == 0 {
			return
		}
	}
}

// beat updates the heartbeat file while the daemon is in use.
func (s *Service) beat() {
	if s.unused() > beating || s.Daemon.Intake.CheckOwned() != nil {
		return
	}
	now, file := time.Now(), s.Daemon.layout.Heartbeat() // real time, because it is compared with times of other files
	err := os.Chtimes(file, now, now)
	if errors.Is(err, os.ErrNotExist) {
		err = os.WriteFile(file, nil, 0o600)
	}
	if err != nil {
		s.Daemon.log.Debug("the heartbeat file cannot be updated; hooks may take the daemon for dead", "error", err)
	}
}

// removeMarkers removes the ready file and the heartbeat, unless they belong to another daemon.
func (s *Service) removeMarkers() {
	if s.Daemon.Intake.CheckOwned() != nil {
		return
	}
	_ = os.Remove(s.Daemon.layout.ReadyMarker())
	_ = os.Remove(s.Daemon.layout.Heartbeat())
}

func (s *Service) end(context.Context, daemonapi.None) (daemonapi.None, error) {
	s.once.Do(func() { close(s.stop) })
	return daemonapi.None{}, nil
}
