package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
)

// Tended counts the work of Tend.
type Tended struct {
	Compressed int // segments
	Deleted    int // segments past their days
}

// Tend compresses the segments that have ended and deletes those whose day is more than
// so many days ago. It also finishes the work of a killed writer.
func (j *Journal) Tend(days int) (Tended, error) {
	j.tending.Lock()
	defer j.tending.Unlock()
	var done Tended
	all, open, err := j.list()
	if err != nil {
		return done, fmt.Errorf("tend the journal: %w", err)
	}
	oldest := j.now().UTC().AddDate(0, 0, -days).Format(time.DateOnly)
	for _, s := range all {
		switch {
		case filepath.Base(s.path) == open:
		case s.day < oldest:
			if err := errors.Join(os.Remove(s.path), removeOther(s)); err != nil {
				return done, fmt.Errorf("tend the journal: %w", err)
			}
			done.Deleted++
		case s.closed:
			if err := removeOther(s); err != nil {
				return done, fmt.Errorf("tend the journal: %w", err)
			}
		default:
			if err := compress(s.path); err != nil {
				return done, fmt.Errorf("tend the journal: compress %s: %w", filepath.Base(s.path), err)
			}
			done.Compressed++
		}
	}
	return done, nil
}

// list returns the segments and the name of the open one, and removes the unfinished
// files of a writer that died.
func (j *Journal) list() ([]segment, string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	halves, err := atomicfile.Unfinished(j.dir)
	if err != nil {
		return nil, "", err
	}
	for _, half := range halves {
		if err := os.Remove(half); err != nil {
			return nil, "", err
		}
	}
	all, err := segments(j.dir)
	return all, j.name, err
}

func compress(path string) error {
	source, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	if err := replace(path+".gz", func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	}); err != nil {
		return err
	}
	return os.Remove(path)
}

// Remove deletes for good: rest returns the part of a record that is to stay, an empty one
// for nothing, and whether that differs. Lines that cannot be read go, too, because they may
// hold the same. It returns how many lines it removed or changed. Appending waits meanwhile.
func (j *Journal) Remove(rest func(Record) (Record, bool)) (int, error) {
	j.tending.Lock()
	defer j.tending.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.end(); err != nil {
		return 0, fmt.Errorf("remove from the journal: %w", err)
	}
	all, err := segments(j.dir)
	if err != nil {
		return 0, fmt.Errorf("remove from the journal: %w", err)
	}
	removed := 0
	for _, s := range all {
		n, err := j.removeFrom(s, rest)
		if err != nil {
			return removed, fmt.Errorf("remove from %s of the journal: %w", filepath.Base(s.path), err)
		}
		removed += n
	}
	return removed, nil
}

// removeFrom rewrites a segment without the removed parts, if it has any.
func (j *Journal) removeFrom(s segment, rest func(Record) (Record, bool)) (int, error) {
	if err := removeOther(s); err != nil {
		return 0, err
	}
	var report Report
	found := 0
	err := readSegment(s, time.Time{}, func(r Record) error {
		if _, differs := rest(r); differs {
			found++
		}
		return nil
	}, &report)
	if err != nil || found+len(report.Problems) == 0 {
		return 0, err
	}
	err = j.replaceSegment(s, func(r Record) (Record, bool) {
		r, _ = rest(r)
		return r, !r.isEmpty()
	})
	return found + len(report.Problems), err
}
