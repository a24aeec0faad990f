package spool

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// logger is implemented by *slog.Logger. It is an interface so that hook programs need not link slog.
type logger interface {
	Info(message string, args ...any)
	Error(message string, args ...any)
}

// Set is all spools of a home, for the process that empties them. A refused spool does not delay the others, and is
// retried because the user may repair it. The methods are safe for concurrent use.
type Set struct {
	log logger

	mu       sync.Mutex
	all      []*Spool
	refused  map[string]string // last logged reason by the spool's folder
	lastTemp time.Time
}

func NewSet(log logger, spools ...*Spool) *Set {
	return &Set{log: log, all: slices.Clone(spools), refused: map[string]string{}}
}

// All returns the spools in the order in which they were added.
func (s *Set) All() []*Spool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// Add adds the spool in a folder unless the set has it.
func (s *Set) Add(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.all, func(one *Spool) bool { return one.Dir() == dir }) {
		s.all = append(s.all, New(dir))
	}
}

// IsRefused reports whether an error is ErrRefused. It logs each new reason once.
func (s *Set) IsRefused(one *Spool, err error) bool {
	reason := ""
	if errors.Is(err, ErrRefused) {
		reason = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if reason != "" && s.refused[one.Dir()] != reason {
		s.log.Error("a spool is not used; memory doctor has the details", "spool", one.Dir(), "reason", reason)
	}
	s.refused[one.Dir()] = reason
	return reason != ""
}

// Recover puts back the claims of an earlier daemon in all spools, and logs the result.
func (s *Set) Recover() {
	for _, one := range s.All() {
		done, err := one.Recover()
		switch {
		case s.IsRefused(one, err):
		case err != nil:
			s.log.Error("cannot recover the spool", "spool", one.Dir(), "error", err)
		case done.Dead > 0:
			s.log.Error("an event became a dead letter: three daemons ended or hung while they stored it", "spool", one.Dir())
		case done.Back > 0:
			s.log.Info("events that an earlier daemon had claimed are back in the queue", "spool", one.Dir(), "events", done.Back)
		}
	}
}

// tempInterval is the minimum time between two searches for files of killed hooks.
const tempInterval = time.Minute

// RecoverTemp calls Spool.RecoverTemp for all spools at most once a minute, and logs the result.
func (s *Set) RecoverTemp(now time.Time) {
	s.mu.Lock()
	due := now.Sub(s.lastTemp).Abs() >= tempInterval
	if due {
		s.lastTemp = now
	}
	s.mu.Unlock()
	if !due {
		return
	}
	for _, one := range s.All() {
		done, err := one.RecoverTemp(now)
		switch {
		case s.IsRefused(one, err):
		case err != nil:
			s.log.Error("cannot recover the files of killed hooks", "spool", one.Dir(), "error", err)
		case done != RecoveredTemp{}:
			s.log.Info("handled files of killed hooks", "spool", one.Dir(), "events", done.Taken, "deleted", done.Deleted)
		}
	}
}
