package journal

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// Rewritten counts the records that Rewrite changed, or would change.
type Rewritten struct {
	Records int `json:"records"` // changed records
	Lost    int `json:"lost"`    // unreadable lines that were removed
}

// Rewrite changes records: change returns the new form of a record, and whether it differs; an empty record is deleted.
// Rewrite replaces the segments with changed records, without their unreadable lines, because such a line may contain the text that
// change removes. If unreadable is set, it also replaces segments that have unreadable lines but no changed record. If apply is not
// set, it counts and changes nothing. Append waits meanwhile. Segments are replaced one at a time, so after an interruption each is
// either unchanged or complete.
func (j *Journal) Rewrite(apply, unreadable bool, change func(Record) (Record, bool)) (done Rewritten, err error) {
	j.compacting.Lock()
	defer j.compacting.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if apply {
		if err := j.end(); err != nil {
			return done, fmt.Errorf("rewrite the journal: %w", err)
		}
	}
	all, err := segments(j.dir)
	if err != nil {
		return done, fmt.Errorf("rewrite the journal: %w", err)
	}
	for _, s := range all {
		if apply && unreadable { // a killed writer may have left the uncompressed file, too, with the text that is removed
			err = removeOther(s)
		}
		if err == nil {
			err = rewriteSegment(s, apply, unreadable, change, &done)
		}
		if err != nil {
			return done, fmt.Errorf("rewrite %s of the journal: %w", filepath.Base(s.path), err)
		}
	}
	return done, nil
}

func rewriteSegment(s segment, apply, unreadable bool, change func(Record) (Record, bool), done *Rewritten) error {
	var report Report
	records := 0
	err := readSegment(s, 0, func(r Record) error {
		if _, differs := change(r); differs {
			records++
		}
		return nil
	}, &report)
	if err != nil || records == 0 && (!unreadable || len(report.Problems) == 0) {
		return err
	}
	done.Records += records
	done.Lost += len(report.Problems)
	if !apply {
		return nil
	}
	return refill(s, func(w io.Writer) error {
		return readSegment(s, 0, func(r Record) error {
			if r, _ = change(r); r.Row() == nil {
				return nil
			}
			line, err := encode(r)
			if err == nil {
				_, err = w.Write(line)
			}
			return err
		}, &Report{})
	})
}

// refill replaces a segment by the output of fill, as a closed segment.
func refill(s segment, fill func(io.Writer) error) error {
	if err := removeOther(s); err != nil {
		return err
	}
	err := atomicfile.Fill(strings.TrimSuffix(s.path, ".gz")+".gz", 0o600, func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		zipped := gzip.NewWriter(buffered)
		return errors.Join(fill(zipped), zipped.Close(), buffered.Flush())
	})
	if err == nil && !s.closed {
		err = os.Remove(s.path)
	}
	return err
}

// removeOther deletes the uncompressed form of a closed segment.
func removeOther(s segment) error {
	if !s.closed {
		return nil
	}
	return os.RemoveAll(strings.TrimSuffix(s.path, ".gz"))
}

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
