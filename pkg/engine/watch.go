package engine

import (
	"context"
	"fmt"
	"time"
)

// An engine that hangs does not end, so it would never be restarted: it is asked, and
// ended when it does not answer several times in a row. From the moment in which it
// stops until the next one is up it takes less than 30 s, stopLimit included.
var (
	healthPause = 5 * time.Second // between two questions
	healthLimit = 4 * time.Second // for the answer
)

const healthMisses = 3

// watch ends the child when it hangs, until ctx ends or the child does. Its error is ErrHung if the child was ended.
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
			s.update(func() { s.silent = time.Time{} })
		} else if ctx.Err() == nil {
			s.options.Log.Warn("the engine does not answer", "pid", c.pid, "error", err)
			if misses++; misses == 1 {
				s.update(func() { s.silent = asked })
			}
		}
	}
	s.options.Log.Warn("the engine hangs and is ended", "pid", c.pid, "since", s.Silent())
	c.cancel()
	return fmt.Errorf("%w since %s", ErrHung, s.Silent().Format(time.TimeOnly))
}

func (s *Supervisor) ask(ctx context.Context) error {
	if s.options.Ask == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	return s.options.Ask(ctx)
}

// Silent is since when the engine has not answered, the zero time if it answers. One that does not answer is ended and
// started again within 30 seconds.
func (s *Supervisor) Silent() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.silent
}
