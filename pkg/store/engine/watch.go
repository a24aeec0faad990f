package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A hanging engine does not end by itself. It is queried, and killed after several unanswered
// queries in a row. From the moment it hangs until the next one runs, less than 30 s pass,
// including stopLimit.
var (
	healthPause = 5 * time.Second // between two queries
	healthLimit = 4 * time.Second // for an answer
)

const healthMisses = 3

// watch kills the child when it hangs, until ctx or the child ends. The error is ErrHung if it killed the child.
func (s *Supervisor) watch(ctx context.Context, c *child) error {
	if s.options.Ask == nil && !s.maySleep() {
		return nil
	}
	ticker := time.NewTicker(healthPause)
	defer ticker.Stop()
	for misses := 0; misses < healthMisses; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if s.fallAsleep(c) {
			return errAsleep
		}
		asked := time.Now()
		if err := s.ask(ctx); err == nil {
			misses = 0
			s.update(func() { s.state.Silent = time.Time{} })
		} else if ctx.Err() == nil {
			s.options.Log.Warn("the engine does not answer", "pid", c.pid, "error", err)
			if misses++; misses == 1 {
				s.update(func() { s.state.Silent = asked })
			}
		}
	}
	s.options.Log.Warn("the engine hangs and is ended", "pid", c.pid, "since", s.State().Silent)
	c.cancel()
	return fmt.Errorf("%w since %s", ErrHung, s.State().Silent.Format(time.TimeOnly))
}

func (s *Supervisor) ask(ctx context.Context) error {
	if s.options.Ask == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	return s.options.Ask(ctx)
}

// errAsleep: the engine was stopped for lack of requests.
var errAsleep = errors.New("the engine sleeps")

const (
	// wakeFile, in the run directory, asks the process that supervises a sleeping engine to start it for another process.
	wakeFile  = "engine.wake"
	wakePause = time.Second // between two checks for that file
)

// Wake asks the process that supervises the engine with that run directory to start it, if it sleeps.
func Wake(runDir string) error { return os.WriteFile(filepath.Join(runDir, wakeFile), nil, 0o600) }

func (s *Supervisor) maySleep() bool { return s.options.Sleep > 0 && s.options.Use != nil }

// fallAsleep stops an engine without requests. From then on Endpoint starts it, so that nobody gets the address of a
// stopped engine.
func (s *Supervisor) fallAsleep(c *child) bool {
	if !s.maySleep() || s.options.Use.Unused() < s.options.Sleep {
		return false
	}
	s.mu.Lock()
	was := s.endpoint
	if s.running != c { // it is restarting
		s.mu.Unlock()
		return false
	}
	s.endpoint, s.state.Asleep, s.wanted = Endpoint{}, true, false
	s.mu.Unlock()
	if !s.options.Use.Rest(s.options.Sleep) {
		s.update(func() { s.endpoint, s.state.Asleep = was, false })
		return false
	}
	c.cancel()
	return true
}

// sleep waits until the engine is needed again.
func (s *Supervisor) sleep(ctx context.Context) {
	s.options.Log.Info("the engine sleeps: it had nothing to do", "for", s.options.Sleep)
	s.update(func() { s.state.PID, s.running = 0, nil })
	if err := writeRecord(s.recordPath(), record{
		User: engineUser, Pass: s.secret, Owner: os.Getpid(),
		Data: s.dataURL(),
	}); err != nil {
		s.options.Log.Warn("engine.json names an engine that sleeps", "error", err)
	}
	defer s.update(func() { s.state.Asleep = false })
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
