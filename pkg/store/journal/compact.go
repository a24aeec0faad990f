package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// Compact compresses closed segments and deletes segments older than a number of days. It also completes the work of a killed writer.
func (j *Journal) Compact(days int) error {
	j.compacting.Lock()
	defer j.compacting.Unlock()
	all, open, err := j.list()
	oldest := j.now().UTC().AddDate(0, 0, -days).Format(time.DateOnly)
	for i := 0; i < len(all) && err == nil; i++ {
		switch s := all[i]; {
		case filepath.Base(s.path) == open:
		case s.day < oldest:
			err = errors.Join(os.Remove(s.path), removeOther(s))
		case s.closed:
			err = removeOther(s)
		default:
			if err = compress(s); err != nil {
				err = fmt.Errorf("compress %s: %w", filepath.Base(s.path), err)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("clean up the journal: %w", err)
	}
	return nil
}

// list returns the segments and the name of the open segment, and deletes the temporary files of a killed writer.
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

func compress(s segment) error {
	source, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	return refill(s, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}
