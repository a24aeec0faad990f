package journal

import (
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// Rewritten counts the records that Rewrite changed, or would.
type Rewritten struct {
	Records  int `json:"records"`  // changed
	Segments int `json:"segments"` // that hold them
	Lost     int `json:"lost"`     // lines of these that cannot be read and are removed
}

// Rewrite changes records for good: change returns the new form of a record, and whether
// it differs. Only segments that hold such records are rewritten; lines in them that
// cannot be read are removed, because they may hold the same text. Without apply it only
// counts. Appending waits meanwhile. Since a segment is replaced as a whole, an
// interruption leaves each one as it was or done.
func (j *Journal) Rewrite(apply bool, change func(Record) (Record, bool)) (Rewritten, error) {
	j.tending.Lock()
	defer j.tending.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	var done Rewritten
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
		if err := j.rewriteSegment(s, apply, change, &done); err != nil {
			return done, fmt.Errorf("rewrite %s of the journal: %w", filepath.Base(s.path), err)
		}
	}
	return done, nil
}

func (j *Journal) rewriteSegment(s segment, apply bool, change func(Record) (Record, bool), done *Rewritten) error {
	var report Report
	records := 0
	err := readSegment(s, time.Time{}, func(r Record) error {
		if _, differs := change(r); differs {
			records++
		}
		return nil
	}, &report)
	if err != nil || records == 0 {
		return err
	}
	done.Records += records
	done.Segments++
	done.Lost += len(report.Problems)
	if !apply {
		return nil
	}
	return j.replaceSegment(s, func(r Record) (Record, bool) {
		changed, _ := change(r)
		return changed, true
	})
}

// replaceSegment rewrites a segment, compressed, with the records that keep returns.
func (j *Journal) replaceSegment(s segment, keep func(Record) (Record, bool)) error {
	return j.refill(s, func(w io.Writer) error {
		return readSegment(s, time.Time{}, func(r Record) error {
			r, kept := keep(r)
			if !kept {
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
