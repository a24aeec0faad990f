package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostAttempts is the number of failures after which an event that is claimed alone becomes a dead letter.
const mostAttempts = 3

// Recover puts back the events that a killed or hung daemon had claimed, as suspects, and returns their number. If there
// is one event, and it was claimed alone for the third time, it becomes a dead letter instead.
func (s *Spool) Recover() (back int, isDead bool, err error) {
	err = s.within("recover the spool", func(root *os.Root) error {
		names, err := list(root, claimedDir, 0)
		if err == nil {
			back = len(names)
			isDead, err = isolate(root, errors.New("the daemon ended or hung while it stored this event"), names)
		}
		return err
	})
	return back, isDead, err
}

// Isolate puts back claimed events, one of which may have caused a failure; from now on each is claimed alone. A single
// event that has failed for the third time becomes a dead letter with the reason, and isDead is true.
func (s *Spool) Isolate(reason error, names ...string) (isDead bool, err error) {
	err = s.within(fmt.Sprintf("put %d suspects back", len(names)), func(root *os.Root) (err error) {
		isDead, err = isolate(root, reason, names)
		return err
	})
	return isDead, err
}

// isolate puts claimed events back as suspects. A single event that has failed for the third time becomes a dead letter.
func isolate(root *os.Root, reason error, names []string) (isDead bool, err error) {
	for _, name := range names {
		plain, n, _ := attempts(name)
		if len(names) == 1 {
			if n++; n >= mostAttempts {
				return true, deadLetter(root, name, fmt.Errorf("%w, for the third time", reason))
			}
		}
		if err := back(root, name, attempted(plain, n)); err != nil {
			return false, fmt.Errorf("put the suspect %s back: %w", name, err)
		}
	}
	return false, nil
}

const (
	// writing is more time than a hook needs to write and rename its file.
	writing = time.Minute
	// keptIncomplete is the time for which an incomplete file stays in tmp for inspection.
	keptIncomplete = 24 * time.Hour
)

// RecoverTemp handles files that killed hooks left in tmp: it moves complete events to the queue, and deletes
// incomplete ones after a day. It skips files that a hook may still be writing: files less than a minute old (see writing),
// by the given time or by the system's clock.
func (s *Spool) RecoverTemp(now time.Time) (taken, deleted int, err error) {
	err = s.within("look for the files of killed hooks", func(root *os.Root) (err error) {
		taken, deleted, err = recoverTemp(root, now, keptIncomplete)
		return err
	})
	return taken, deleted, err
}

// recoverTemp is RecoverTemp with another age (kept) from which incomplete files are deleted. If the age is negative, it also deletes files with a time in the future.
func recoverTemp(root *os.Root, now time.Time, kept time.Duration) (taken, deleted int, err error) {
	names, err := entries(root, tmpDir)
	for _, name := range names {
		info, errStat := root.Lstat(at(tmpDir, name))
		if errStat != nil || now.Sub(info.ModTime()).Abs() < writing || time.Since(info.ModTime()).Abs() < writing {
			continue
		}
		switch {
		case isWhole(root, name):
			err = root.Rename(at(tmpDir, name), at(newDir, name))
			taken++
		case now.Sub(info.ModTime()) >= kept:
			err = root.RemoveAll(at(tmpDir, name))
			deleted++
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return taken, deleted, err
		}
		err = nil
	}
	return taken, deleted, err
}

// isWhole reports whether a file in tmp is a complete event with the id in its name.
func isWhole(root *os.Root, name string) bool {
	id, isEvent := strings.CutSuffix(name, eventSuffix)
	if !isEvent {
		return false
	}
	event, err := read(root, tmpDir, name)
	return err == nil && event.ID == id
}

// Discard deletes the waiting events, dead letters and files of killed hooks that drop selects, and returns their
// number. For a file that is not a valid event, it calls drop with an event that only has a Prompt: the file's text,
// with its JSON escapes decoded. It also deletes the incomplete files of killed hooks, which may contain anything.
// Only the process that may Claim may call it.
func (s *Spool) Discard(drop func(memory.Event) bool) (discarded int, err error) {
	err = s.within("discard from the spool", func(root *os.Root) error {
		if _, _, err := recoverTemp(root, time.Now(), math.MinInt64); err != nil {
			return err
		}
		for _, folder := range []string{tmpDir, newDir, deadDir} {
			names, err := list(root, folder, 0)
			if err != nil {
				return err
			}
			for _, name := range names {
				event, err := read(root, folder, name)
				if errors.Is(err, memory.ErrInvalid) {
					event = memory.Event{Prompt: unescaped(textOf(root, at(folder, name)))}
				}
				if err != nil && !errors.Is(err, memory.ErrInvalid) || !drop(event) {
					continue
				}
				if err := root.Remove(at(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				_ = root.Remove(at(folder, name+reasonSuffix)) // a file with the reason: only dead letters have it
				discarded++
			}
		}
		return nil
	})
	return discarded, err
}

// textOf returns the text of a regular file, or "" for anything else: reading a pipe would block.
func textOf(root *os.Root, name string) string {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, _ := root.ReadFile(name)
	return string(text)
}

// unescaped returns a text with its JSON escapes decoded. The text may be cut anywhere.
func unescaped(text string) string {
	var all strings.Builder
	for text != "" {
		c, _, rest, err := strconv.UnquoteChar(text, '"')
		if err != nil { // a quotation mark, or a backslash without an escape
			c, rest = rune(text[0]), text[1:]
		}
		all.WriteRune(c)
		text = rest
	}
	return all.String()
}

// Revivable returns the number of dead letters that can be tried again.
func (s *Spool) Revivable() (int, error) { return s.eachRevivable(nil) }

// Revive moves valid dead letters back to the queue and returns their number. A letter that the store refuses again is dead again.
func (s *Spool) Revive() (int, error) {
	return s.eachRevivable(func(root *os.Root, name string) error {
		plain, _, _ := attempts(name) // the count starts anew
		if err := root.Rename(at(deadDir, name), at(newDir, plain)); err != nil {
			return err
		}
		_ = root.Remove(at(deadDir, name+reasonSuffix)) // the next reason overwrites it anyway
		return nil
	})
}

// eachRevivable calls do, unless it is nil, for each valid dead letter and returns their number.
func (s *Spool) eachRevivable(do func(*os.Root, string) error) (done int, err error) {
	err = s.within("read the dead letters", func(root *os.Root) error {
		names, err := list(root, deadDir, 0)
		for _, name := range names {
			if _, err := read(root, deadDir, name); err != nil {
				continue
			}
			if do != nil {
				if err := do(root, name); err != nil {
					return err
				}
			}
			done++
		}
		return err
	})
	return done, err
}

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
		back, isDead, err := one.Recover()
		switch {
		case s.IsRefused(one, err):
		case err != nil:
			s.log.Error("cannot recover the spool", "spool", one.Dir(), "error", err)
		case isDead:
			s.log.Error("an event became a dead letter: three daemons ended or hung while they stored it", "spool", one.Dir())
		case back > 0:
			s.log.Info("events that an earlier daemon had claimed are back in the queue", "spool", one.Dir(), "events", back)
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
		taken, deleted, err := one.RecoverTemp(now)
		switch {
		case s.IsRefused(one, err):
		case err != nil:
			s.log.Error("cannot recover the files of killed hooks", "spool", one.Dir(), "error", err)
		case taken+deleted > 0:
			s.log.Info("handled files of killed hooks", "spool", one.Dir(), "events", taken, "deleted", deleted)
		}
	}
}
