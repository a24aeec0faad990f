package agent

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// noticeTime is how long people are told what was done to the store by itself.
const (
	noticeTime = 7 * 24 * time.Hour // in the status
	tellTime   = 24 * time.Hour     // at the start of sessions
)

// suspect notes a fault of the store's storage; other errors are ignored here.
func (s *Service) suspect(err error) {
	if s.Mend == nil || !errors.Is(err, memory.ErrStorage) && !errors.Is(err, memory.ErrDamaged) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil || errors.Is(err, memory.ErrDamaged) {
		s.fault = err
	}
	s.nudge()
}

// mended has a store that has failed mended, and answers false while that is not done. Nothing is ingested meanwhile,
// and callers are told why.
func (s *Service) mended(ctx context.Context) bool {
	s.mu.Lock()
	fault := s.fault
	s.mu.Unlock()
	if fault == nil {
		return true
	}
	_ = os.Remove(s.ReadyMark) // hooks see it before they ask
	s.wait(fault)
	for pause := firstRetry; ; pause = min(2*pause, longestRetry) {
		s.Agent.log.Error("the store's storage fails; events wait in the spool", "error", fault)
		err := s.Mend(ctx, fault)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return false
		}
		if errors.Is(err, memory.ErrDamaged) {
			fault = err
		}
		s.wait(err)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
	// It may be another store now, and it has to have today's schema.
	if !s.prepare(ctx) {
		return false
	}
	if err := s.Agent.Intake.Rewrite(ctx, func(context.Context) error { return nil }); err != nil {
		s.Agent.log.Error("what is held of the store is old", "error", err)
	}
	s.mu.Lock()
	s.fault = nil
	s.mu.Unlock()
	s.Agent.log.Info("the store can be used again")
	if err := os.WriteFile(s.ReadyMark, nil, 0o600); err != nil {
		s.Agent.log.Warn("hooks cannot see that the agent is ready", "error", err)
	}
	s.become(stateReady, "")
	s.judge(nil)
	s.nudge()
	return true
}

// noticed is what sessions are told of the notice, for a day, or nil.
func (s *Service) noticed() *agentapi.Trouble {
	info, err := os.Stat(s.Notice)
	text := s.notice()
	if err != nil || text == "" || s.Agent.now().Sub(info.ModTime()) > tellTime {
		return nil
	}
	line, _, _ := strings.Cut(text, "\n")
	return &agentapi.Trouble{What: line, Command: "status"}
}

// notice is what was done to the store lately without asking, or "".
func (s *Service) notice() string {
	info, err := os.Stat(s.Notice)
	if err != nil || s.Agent.now().Sub(info.ModTime()) > noticeTime {
		return ""
	}
	text, err := os.ReadFile(s.Notice)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
