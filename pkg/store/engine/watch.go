package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A hanging engine does not end by itself. It is queried, and killed after healthMisses unanswered queries in a row.
// From the beginning of the hang until the next engine runs, less than 30 s pass, including stopLimit.
var (
	healthPause = 5 * time.Second // time between two queries
	healthLimit = 4 * time.Second // time for an answer
)

const healthMisses = 3

// watch kills the child when it hangs, until ctx or the child ends. It returns an error if it has killed the child, and
// errAsleep if it has stopped the child for lack of requests.
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
			s.update(func() { s.state.UnresponsiveSince = time.Time{} })
		} else if ctx.Err() == nil {
			s.options.Log.Warn("the engine does not answer", "pid", c.pid, "error", err)
			if misses++; misses == 1 {
				s.update(func() { s.state.UnresponsiveSince = asked })
			}
		}
	}
	s.options.Log.Warn("the engine hangs and is stopped", "pid", c.pid, "since", s.State().UnresponsiveSince)
	c.cancel()
	return fmt.Errorf("the engine did not answer after %s, and was stopped", s.State().UnresponsiveSince.Format(time.TimeOnly))
}

func (s *Supervisor) ask(ctx context.Context) error {
	if s.options.Ask == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	return s.options.Ask(ctx)
}

// errAsleep means that the engine was stopped for lack of requests.
var errAsleep = errors.New("the engine sleeps")

func (s *Supervisor) maySleep() bool { return s.options.Sleep > 0 && s.options.Use != nil }

// fallAsleep stops an engine that has had no requests. From then on Endpoint starts it, so nobody gets the address of a
// stopped engine. It returns false if the engine goes on.
func (s *Supervisor) fallAsleep(c *child) bool {
	if !s.maySleep() || s.options.Use.IdleTime() < s.options.Sleep {
		return false
	}
	s.mu.Lock()
	was := s.endpoint
	if s.running != c { // the engine is restarting
		s.mu.Unlock()
		return false
	}
	select {
	case <-s.rouse: // sent by a caller from before the engine ran
	default:
	}
	s.endpoint, s.state.Asleep = Endpoint{}, true
	s.mu.Unlock()
	if !s.options.Use.DisconnectIfIdle(s.options.Sleep) {
		s.update(func() { s.endpoint, s.state.Asleep = was, false })
		return false
	}
	c.cancel()
	return true
}

// sleep waits until the engine is needed again.
func (s *Supervisor) sleep(ctx context.Context) {
	s.options.Log.Info("the engine was stopped, because it had no requests", "for", s.options.Sleep)
	s.update(func() { s.state.PID, s.running = 0, nil })
	if _, err := s.note(); err != nil {
		s.options.Log.Warn("engine.json still has the address of a stopped engine", "error", err)
	}
	defer s.update(func() { s.state.Asleep = false })
	select {
	case <-ctx.Done():
	case <-s.rouse:
	}
}
