// Package spool hands events from hook processes to the agent so that nothing
// is lost: not when the agent or the store is down, not when either side is
// killed at any instant. It works like a maildir: a writer fills a file in tmp,
// syncs it and renames it into new; the one reader renames it into claimed,
// ingests it, and deletes it only after the store has committed. What cannot be
// ingested goes to dead, with the reason beside it. It refuses to look into
// events beyond parsing them.
package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The folders of a spool.
const (
	tmpDir     = "tmp"
	newDir     = "new"
	claimedDir = "claimed"
	deadDir    = "dead"
)

const (
	eventSuffix  = ".json"
	reasonSuffix = ".reason"
	// maxEventBytes is more than a hook ever writes; a larger file was not
	// written by one.
	maxEventBytes = 4 << 20
)

// Spool is one spool directory. Any number of processes may Put; only one may
// Claim, Ack and Bury, which the agent's lock sees to.
type Spool struct {
	dir string
}

// New names a spool; its folders are made when they are first needed.
func New(dir string) *Spool { return &Spool{dir: dir} }

// Dir is where the spool lies.
func (s *Spool) Dir() string { return s.dir }

// Put stores one event, durably once it returns. Files are 0600 in 0700.
func (s *Spool) Put(e memory.Event) error {
	data, err := e.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("spool event %s: encode: %w", e.ID, err)
	}
	name := e.ID + eventSuffix
	tmp := s.path(tmpDir, name)
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // the first event of this home
		if err = s.create(); err == nil {
			f, err = os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("spool event %s: %w", e.ID, err)
	}
	if err := fill(f, data); err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("spool event %s: %w", e.ID, err)
	}
	if err := os.Rename(tmp, s.path(newDir, name)); err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("spool event %s: hand over: %w", e.ID, err)
	}
	return nil
}

func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (s *Spool) create() error {
	if err := own(s.dir); err != nil {
		return err
	}
	for _, folder := range []string{tmpDir, newDir, claimedDir, deadDir} {
		if err := os.MkdirAll(filepath.Join(s.dir, folder), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// Claim is one event taken out of the queue. Err says why its file is not an
// event; then Event is empty.
type Claim struct {
	Name  string
	Event memory.Event
	Err   error
}

// Claim takes up to limit events, the oldest first. Until Ack or Bury they are
// on disk, and Recover puts them back.
func (s *Spool) Claim(limit int) ([]Claim, error) {
	names, err := s.list(newDir, limit)
	if err != nil {
		return nil, fmt.Errorf("claim from the spool: %w", err)
	}
	claims := make([]Claim, 0, len(names))
	for _, name := range names {
		if err := os.Rename(s.path(newDir, name), s.path(claimedDir, name)); err != nil {
			return claims, fmt.Errorf("claim %s from the spool: %w", name, err)
		}
		event, err := s.read(name)
		claims = append(claims, Claim{Name: name, Event: event, Err: err})
	}
	return claims, nil
}

func (s *Spool) read(name string) (memory.Event, error) { return s.readFrom(claimedDir, name) }

func (s *Spool) readFrom(folder, name string) (memory.Event, error) {
	path := s.path(folder, name)
	info, err := os.Lstat(path)
	if err != nil {
		return memory.Event{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxEventBytes {
		return memory.Event{}, fmt.Errorf("%s is no event file: %s, %d bytes: %w", name, info.Mode(), info.Size(), memory.ErrInvalid)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return memory.Event{}, err
	}
	return Decode(data)
}

// Decode reads an event and checks that it can be ingested.
func Decode(data []byte) (memory.Event, error) {
	var e memory.Event
	if err := json.Unmarshal(data, &e); err != nil {
		return memory.Event{}, fmt.Errorf("parse event: %w: %w", memory.ErrInvalid, err)
	}
	if err := e.Validate(); err != nil {
		return memory.Event{}, err
	}
	return e, nil
}

// Ack forgets events that the store has committed.
func (s *Spool) Ack(names ...string) error {
	var errs []error
	for _, name := range names {
		if err := os.Remove(s.path(claimedDir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("acknowledge %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// Bury puts a claimed file aside as a dead letter, with the reason in a file
// beside it. Moving the file back into new gives it another try.
func (s *Spool) Bury(name string, reason error) error {
	note := s.path(deadDir, name+reasonSuffix)
	if err := os.WriteFile(note, []byte(reason.Error()+"\n"), 0o600); err != nil {
		return fmt.Errorf("bury %s: %w", name, err)
	}
	if err := os.Rename(s.path(claimedDir, name), s.path(deadDir, name)); err != nil {
		return fmt.Errorf("bury %s: %w", name, err)
	}
	return nil
}

// Recover puts back what an agent that is gone had claimed, and returns how
// many events that were. It also makes the folders.
func (s *Spool) Recover() (int, error) {
	if err := s.create(); err != nil {
		return 0, fmt.Errorf("recover the spool: %w", err)
	}
	names, err := s.list(claimedDir, 0)
	if err != nil {
		return 0, fmt.Errorf("recover the spool: %w", err)
	}
	for i, name := range names {
		if err := os.Rename(s.path(claimedDir, name), s.path(newDir, name)); err != nil {
			return i, fmt.Errorf("recover %s: %w", name, err)
		}
	}
	return len(names), nil
}

// Oldest is the id of the event that waits the longest, or "" if none does.
func (s *Spool) Oldest() string {
	names, err := s.list(newDir, 1)
	if err != nil || len(names) == 0 {
		return ""
	}
	return strings.TrimSuffix(names[0], eventSuffix)
}

// Counts says how many events lie where.
type Counts struct {
	New     int `json:"new"`
	Claimed int `json:"claimed"`
	Dead    int `json:"dead"`
}

// Counts counts the events; a spool that was never used has none.
func (s *Spool) Counts() (Counts, error) {
	var c Counts
	for folder, n := range map[string]*int{newDir: &c.New, claimedDir: &c.Claimed, deadDir: &c.Dead} {
		names, err := s.list(folder, 0)
		if err != nil {
			return Counts{}, fmt.Errorf("count the spool: %w", err)
		}
		*n = len(names)
	}
	return c, nil
}

// list names the event files of a folder, the oldest first; limit 0 means all.
func (s *Spool) list(folder string, limit int) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, folder)) // sorted by name, and names sort by time
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), eventSuffix) {
			names = append(names, entry.Name())
		}
	}
	if limit > 0 && len(names) > limit {
		names = slices.Clip(names[:limit])
	}
	return names, nil
}

func (s *Spool) path(folder, name string) string {
	return filepath.Join(s.dir, folder, name)
}
