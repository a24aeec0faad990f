// Package spool passes events from hook processes to the daemon. Nothing is lost when the daemon
// or the store is down, or when either side is killed at any time. It works like a maildir: a
// writer fills a file in tmp, syncs it and renames it into new; the one reader renames it into
// claimed, ingests it, and deletes it only after the store has committed. A file that cannot be
// ingested moves to dead, with the reason next to it. The package only parses events. It
// refuses a folder that other users can write to (pkg/platform/private), because their events must not
// become memories, and follows no links.
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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// The folders of a spool.
const (
	tmpDir     = "tmp"
	newDir     = "new"
	claimedDir = "claimed"
	deadDir    = "dead"
)

// ErrRefused: other users can write to the spool. It is neither written nor read; other spools
// continue to work.
var ErrRefused = private.ErrUnsafe

const (
	reasonSuffix = ".reason"
	// maxEventBytes is more than a hook ever writes, so a larger file comes from something
	// else.
	maxEventBytes = 4 << 20
)

// Spool is one spool directory. It is opened again for each operation, because it may be
// deleted or replaced meanwhile. Any number of processes may Put; only one may Claim, Ack and
// Bury, which the daemon's lock ensures.
type Spool struct {
	// Unsynced lets the operating system decide when Put's event reaches the disk. The event
	// survives the end of any process; if the machine loses power within seconds, it may be
	// missing or come back empty as a dead letter.
	Unsynced bool

	dir string
}

// New returns the spool in a directory; its folders are created on first use.
func New(dir string) *Spool { return &Spool{dir: dir} }

// Dir returns the directory of the spool.
func (s *Spool) Dir() string { return s.dir }

var folders = []string{tmpDir, newDir, claimedDir, deadDir}

// open opens the spool for one operation, if only the user can write to it. The error is
// private.ErrUnsafe, or fs.ErrNotExist if it was never used.
func (s *Spool) open() (*os.Root, error) {
	root, err := private.Open(s.dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if err := openFolder(root, folder); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	return root, nil
}

func openFolder(root *os.Root, folder string) error {
	err := private.CheckIn(root, folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is incomplete: %w", root.Name(), err)
	}
	return private.CheckIn(root, folder)
}

// within executes an operation in the opened spool, and names it in errors. In an unused spool
// it does nothing.
func (s *Spool) within(piece string, work func(*os.Root) error) error {
	root, err := s.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer func() { _ = root.Close() }()
		err = work(root)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", piece, err)
	}
	return nil
}

// Put stores one event, durably when it returns (but see Unsynced). Files have mode 0600 in folders of
// mode 0700.
func (s *Spool) Put(e memory.Event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("spool event %s: encode: %w", e.ID, err)
	}
	root, err := s.open()
	if errors.Is(err, fs.ErrNotExist) { // the first event of this home
		if err = private.Make(s.dir); err == nil {
			root, err = s.open()
		}
	}
	if err != nil {
		return fmt.Errorf("spool event %s: %w", e.ID, err)
	}
	defer func() { _ = root.Close() }()
	if err := write(root, newDir, e.ID+eventSuffix, data, !s.Unsynced); err != nil {
		return fmt.Errorf("spool event %s: %w", e.ID, err)
	}
	return nil
}

// write writes a file in tmp and renames it into the folder, where it is therefore complete or
// missing. It replaces a link with that name instead of following it.
func write(root *os.Root, folder, name string, data []byte, synced bool) error {
	tmp := at(tmpDir, name)
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = fill(f, data, synced)
	if err == nil {
		err = root.Rename(tmp, at(folder, name))
	}
	if err != nil {
		_ = root.Remove(tmp)
	}
	return err
}

// syncFile waits until a file is on the disk; a test replaces it.
var syncFile = (*os.File).Sync

func fill(f *os.File, data []byte, synced bool) error {
	_, err := f.Write(data)
	if err == nil && synced {
		err = syncFile(f)
	}
	return errors.Join(err, f.Close())
}

// Claim is a claimed event. Err explains why its file is not an event; then Event is
// empty.
type Claim struct {
	Name  string
	Event memory.Event
	Err   error
}

// IsSuspect reports whether the event was among those that were not stored when something went
// wrong, so that it was claimed alone.
func (c Claim) IsSuspect() bool {
	_, _, isSuspect := attempts(c.Name)
	return isSuspect
}

// Claim claims up to limit events, the oldest first; a suspect alone. Until Ack or Bury they
// stay on disk, and Recover and PutBack put them back. An unused spool has none.
func (s *Spool) Claim(limit int) (claims []Claim, err error) {
	err = s.within("claim from the spool", func(root *os.Root) error {
		names, err := list(root, newDir, limit)
		if err != nil {
			return err
		}
		claims = make([]Claim, 0, len(names))
		for _, name := range alone(names) {
			if err := root.Rename(at(newDir, name), at(claimedDir, name)); err != nil {
				return err
			}
			event, err := read(root, claimedDir, name)
			claims = append(claims, Claim{Name: name, Event: event, Err: err})
		}
		return nil
	})
	return claims, err
}

// read reads one event. It opens regular files only: a link may lead anywhere, and a pipe has
// no end.
func read(root *os.Root, folder, name string) (memory.Event, error) {
	path := at(folder, name)
	info, err := root.Lstat(path)
	if err != nil {
		return memory.Event{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxEventBytes {
		return memory.Event{}, fmt.Errorf("%s is no event file: %s, %d bytes: %w", name, info.Mode(), info.Size(), memory.ErrInvalid)
	}
	data, err := root.ReadFile(path)
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

// Ack deletes events that the store has committed.
func (s *Spool) Ack(names ...string) error {
	return s.within(fmt.Sprintf("acknowledge %d events", len(names)), func(root *os.Root) error {
		var errs []error
		for _, name := range names {
			if err := root.Remove(at(claimedDir, name)); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	})
}

// Bury moves a claimed file to dead as a dead letter, with the reason in a file next to it.
// Moving the file back to new retries it.
func (s *Spool) Bury(name string, reason error) error {
	return s.within("bury "+name, func(root *os.Root) error { return bury(root, name, reason) })
}

func bury(root *os.Root, name string, reason error) error {
	note := name + reasonSuffix
	_ = root.Remove(at(tmpDir, note)) // left by a daemon that was killed at this point
	if err := write(root, deadDir, note, []byte(reason.Error()+"\n"), true); err != nil {
		return err
	}
	return root.Rename(at(claimedDir, name), at(deadDir, name))
}

// Release puts claimed files back into the queue. It creates no folder, because the spool may
// belong to another daemon now.
func (s *Spool) Release(names ...string) error {
	return s.within(fmt.Sprintf("release %d events", len(names)), func(root *os.Root) error {
		var errs []error
		for _, name := range names {
			errs = append(errs, back(root, name, name))
		}
		return errors.Join(errs...)
	})
}

// back renames a claimed file into the queue under another name. A missing one was stored and
// acknowledged.
func back(root *os.Root, name, as string) error {
	if err := root.Rename(at(claimedDir, name), at(newDir, as)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Waiting reads up to limit waiting events older than the given id ("" for any age) without
// claiming them; all reports whether there are no others. It skips files that are no events or
// are claimed meanwhile, and unreadable spools.
func (s *Spool) Waiting(id string, limit int) (events []memory.Event, all bool) {
	all = true
	_ = s.within("look into the spool", func(root *os.Root) error {
		names, err := list(root, newDir, 0)
		if id != "" {
			names = slices.DeleteFunc(names, func(name string) bool { return strings.TrimSuffix(name, eventSuffix) >= id })
		}
		if all = len(names) <= limit; !all {
			return nil
		}
		for _, name := range names {
			if event, err := read(root, newDir, name); err == nil {
				events = append(events, event)
			}
		}
		return err
	})
	return events, all
}

// Oldest returns the id of the event that has waited longest, or "".
func (s *Spool) Oldest() (id string) {
	_ = s.within("look into the spool", func(root *os.Root) error {
		names, err := list(root, newDir, 1)
		if len(names) > 0 {
			plain, _, _ := attempts(names[0])
			id = strings.TrimSuffix(plain, eventSuffix)
		}
		return err
	})
	return id
}

// Counts has the numbers of events by folder.
type Counts struct {
	New     int `json:"new"`
	Claimed int `json:"claimed"`
	Dead    int `json:"dead"`
}

// Counts counts each event once, even if it is claimed or put back meanwhile. An unused spool has none.
func (s *Spool) Counts() (c Counts, err error) {
	err = s.within("count the spool", func(root *os.Root) error {
		in := map[string]string{} // the folder of each waiting event
		// The first pass finds an event that is claimed meanwhile, the third one that is put back; the other passes find an
		// event that moves back and forth between two passes.
		for _, folder := range []string{newDir, claimedDir, newDir, claimedDir, newDir} {
			names, err := list(root, folder, 0)
			if err != nil {
				return err
			}
			for _, name := range names {
				plain, _, _ := attempts(name)
				in[plain] = folder
			}
		}
		dead, err := list(root, deadDir, 0)
		c.Dead = len(dead)
		for _, folder := range in {
			if folder == newDir {
				c.New++
			} else {
				c.Claimed++
			}
		}
		return err
	})
	return c, err
}

// list returns the names of the event files in a folder, the oldest first; limit 0 means all.
func list(root *os.Root, folder string, limit int) ([]string, error) {
	all, err := entries(root, folder)
	if err != nil {
		return nil, err
	}
	names := slices.DeleteFunc(all, func(name string) bool { return !strings.HasSuffix(name, eventSuffix) })
	slices.Sort(names) // names sort by time
	if limit > 0 && len(names) > limit {
		names = slices.Clip(names[:limit])
	}
	return names, nil
}

func entries(root *os.Root, folder string) ([]string, error) {
	dir, err := root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	return dir.Readdirnames(-1)
}

func at(folder, name string) string { return filepath.Join(folder, name) }
