package daemon

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	// lasting is how long a ready store must fail before starting sessions are warned. An engine restarts in less time.
	lasting = 10 * time.Second
	// noticeTime is how long the status shows how the store was repaired; tellTime is how long starting sessions show it.
	noticeTime = 7 * 24 * time.Hour
	tellTime   = 24 * time.Hour
)

// Report shows a long step of Prepare as the service's state until Prepare returns.
func (s *Service) Report(doing daemonapi.Trouble) {
	s.setState(stateInstalling, doing.Problem, &doing)
}

// wait records why the store is not available. It does not block.
func (s *Service) wait(err error) {
	trouble := s.Explain(err)
	s.setState(stateWaiting, trouble.String(), &trouble)
}

// updateFailing records since when a ready store has been failing, by the error of an ingest; a success clears the time.
func (s *Service) updateFailing(err error) {
	failed := errors.Is(err, memory.ErrUnavailable)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case failed && s.failing.IsZero():
		s.failing = s.Daemon.now()
		fallthrough
	case failed:
		trouble := s.Explain(err)
		s.reason, s.trouble = err.Error(), &trouble
	case !s.failing.IsZero() && err == nil:
		s.failing, s.reason, s.trouble = time.Time{}, "", nil
	}
}

// engineTrouble returns the trouble to report while the engine does not answer, else nil.
func (s *Service) engineTrouble() *daemonapi.Trouble {
	since := s.Engine().UnresponsiveSince
	if since.IsZero() {
		return nil
	}
	return &daemonapi.Trouble{
		Problem: "the database engine has not answered since " + since.Local().Format(time.TimeOnly) +
			"; the daemon replaces it within 30 seconds",
		Command: "status",
	}
}

// lastingTrouble returns the trouble to show to the user of a starting session, or nil.
func (s *Service) lastingTrouble() *daemonapi.Trouble {
	if trouble := s.engineTrouble(); trouble != nil {
		return trouble
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == stateReady && (s.failing.IsZero() || s.Daemon.now().Sub(s.failing) < lasting) {
		if line, _, _ := strings.Cut(s.notice(tellTime), "\n"); line != "" {
			return &daemonapi.Trouble{Problem: line, Command: "status", IsOver: true}
		}
		return nil
	}
	return s.trouble
}

// suspect records an error of the store's storage or schema, which Repair then repairs. It ignores other errors.
func (s *Service) suspect(err error) {
	if !errors.Is(err, memory.ErrStorage) && !errors.Is(err, memory.ErrDamaged) &&
		!errors.Is(err, memory.ErrSchema) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil || errors.Is(err, memory.ErrDamaged) {
		s.fault = err
	}
	s.nudge()
}

// notice tells how the store last repaired itself, or returns "" if that was not within the given time.
func (s *Service) notice(within time.Duration) string {
	info, err := os.Stat(s.Daemon.layout.StoreNotice())
	if err != nil || s.Daemon.now().Sub(info.ModTime()).Abs() > within {
		return ""
	}
	text, _ := os.ReadFile(s.Daemon.layout.StoreNotice())
	return strings.TrimSpace(string(text))
}
