package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// errAsleep says that the engine was ended because it had nothing to do.
var errAsleep = errors.New("the engine sleeps")

const (
	// wakeFile, in the run directory, asks the process that supervises an engine to wake it: another one needs it.
	wakeFile  = "engine.wake"
	wakePause = time.Second // between two looks for that file
)

// Wake asks the process that supervises the engine with that run directory to wake it, if it sleeps.
func Wake(runDir string) error { return os.WriteFile(filepath.Join(runDir, wakeFile), nil, 0o600) }

func (s *Supervisor) maySleep() bool { return s.options.Sleep > 0 && s.options.Use != nil }

// fallAsleep ends an engine that has nothing to do. From then on Endpoint wakes it, so that nobody gets
// the address of an engine that has ended.
func (s *Supervisor) fallAsleep(c *child) bool {
	if !s.maySleep() || s.options.Use.Unused() < s.options.Sleep {
		return false
	}
	s.mu.Lock()
	was := s.endpoint
	if s.running != c { // it is being restarted
		s.mu.Unlock()
		return false
	}
	s.endpoint, s.asleep, s.wanted = Endpoint{}, true, false
	s.mu.Unlock()
	if !s.options.Use.Rest(s.options.Sleep) {
		s.update(func() { s.endpoint, s.asleep = was, false })
		return false
	}
	c.cancel()
	return true
}

// sleep waits until the engine is needed again.
func (s *Supervisor) sleep(ctx context.Context) {
	s.options.Log.Info("the engine sleeps: it had nothing to do", "for", s.options.Sleep)
	s.update(func() { s.pid, s.running = 0, nil })
	if err := writeRecord(s.recordPath(), record{User: engineUser, Pass: s.secret, Owner: os.Getpid(), Data: s.dataURL()}); err != nil {
		s.options.Log.Warn("engine.json names an engine that sleeps", "error", err)
	}
	defer s.update(func() { s.asleep = false })
	asked := filepath.Join(s.options.RunDir, wakeFile)
	ticker := time.NewTicker(wakePause)
	defer ticker.Stop()
	for {
		s.mu.Lock()
		wanted, changed := s.wanted, s.changed
		s.mu.Unlock()
		if wanted || os.Remove(asked) == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-ticker.C:
		}
	}
}

// IsAsleep says that the engine is not running because it had nothing to do.
func (s *Supervisor) IsAsleep() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asleep
}
