package agent

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// drainPause is how long an agent that is to be replaced goes on at least, so
	// that whoever told it so gets the answer to the next question.
	drainPause = 300 * time.Millisecond
	// drainTime bounds the wait for calls that are under way then.
	drainTime = 5 * time.Second
	drainPoll = 20 * time.Millisecond
	// lasting is how long a ready store has to fail before a session is told: an
	// engine that was started again is back sooner.
	lasting = 10 * time.Second
	// beating is how long after its last use an agent still says that it lives: an
	// idle one lets the disk sleep.
	beating = time.Hour
)

// Meeting is what follows from who asks.
type Meeting struct {
	// Again says that what the caller sees may let Prepare succeed now.
	Again bool
	// Leave says that the caller's agent is to take this one's place.
	Leave bool
}

// Report says that Prepare is at something that takes long. It is over when
// Prepare returns.
func (s *Service) Report(doing agentapi.Trouble) {
	s.become(stateInstalling, doing.What)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = &doing
}

// wait notes that the store could not be had.
func (s *Service) wait(err error) {
	trouble := s.explain(err)
	s.become(stateWaiting, err.Error())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = &trouble
}

func (s *Service) explain(err error) agentapi.Trouble {
	if s.Explain != nil {
		return s.Explain(err)
	}
	return agentapi.Trouble{What: err.Error(), Command: "doctor"}
}

// judge notes whether a store that was ready takes what is given to it.
func (s *Service) judge(err error) {
	failed := errors.Is(err, memory.ErrUnavailable)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case failed && s.failing.IsZero():
		s.failing = s.Agent.now()
		fallthrough
	case failed:
		trouble := s.explain(err)
		s.reason, s.trouble = err.Error(), &trouble
	case !s.failing.IsZero() && err == nil:
		s.failing, s.reason, s.trouble = time.Time{}, "", nil
	}
}

// lastingTrouble is what the user of a starting session is to be told, or nil.
func (s *Service) lastingTrouble() *agentapi.Trouble {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == stateReady && (s.failing.IsZero() || s.Agent.now().Sub(s.failing) < lasting) {
		return s.noticed()
	}
	return s.trouble
}

// meet hears who asks. Nobody waits for it.
func (s *Service) meet(ctx context.Context, c agentapi.Caller) (agentapi.None, error) {
	s.touch()
	if s.Meet == nil {
		return agentapi.None{}, nil
	}
	meeting := s.Meet(c, s.isReady())
	if meeting.Leave {
		s.leave(ctx)
	}
	if meeting.Again {
		s.tryAgain()
	}
	return agentapi.None{}, nil
}

// tryAgain has a waiting service try at once to get its store. Who asks meanwhile
// waits for the outcome.
func (s *Service) tryAgain() {
	s.mu.Lock()
	waiting := s.state == stateWaiting
	s.mu.Unlock()
	if !waiting {
		return
	}
	s.become(stateStarting, "")
	select {
	case s.again <- struct{}{}:
	default:
	}
}

func (s *Service) ping(context.Context, agentapi.None) (agentapi.None, error) {
	return agentapi.None{}, nil
}

// leave ends the service once nobody waits for an answer.
func (s *Service) leave(ctx context.Context) {
	s.leaving.Do(func() {
		s.Agent.log.Info("another agent takes over; this one drains")
		s.background.Go(func() {
			s.drain(ctx)
			_, _ = s.end(ctx, agentapi.None{})
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
		s.Agent.log.Warn("the agent ends", "reason", reason)
		close(s.stop)
	})
}

// beat says that the agent lives, while it is in use.
func (s *Service) beat() {
	if s.Beat == "" || s.unused() > beating || s.Agent.Intake.NotOurs() != nil {
		return
	}
	now := time.Now() // the clock of the file system's other marks
	err := os.Chtimes(s.Beat, now, now)
	if errors.Is(err, os.ErrNotExist) {
		err = os.WriteFile(s.Beat, nil, 0o600)
	}
	if err != nil {
		s.Agent.log.Debug("hooks cannot see that the agent lives", "error", err)
	}
}

// unused is the time since somebody last came.
func (s *Service) unused() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Agent.now().Sub(s.used)
}

// unmark takes away what said that the agent is ready, unless it is another's.
func (s *Service) unmark() {
	if s.Agent.Intake.NotOurs() != nil {
		return
	}
	_ = os.Remove(s.ReadyMark)
	if s.Beat != "" {
		_ = os.Remove(s.Beat)
	}
}
