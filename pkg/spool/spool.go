// Package spool passes events from hook processes to the daemon. No event is lost if the daemon or the store is down, or if either side is killed at
// any time. It works like a maildir: a writer fills a file in tmp, syncs it and renames it into new. The only reader renames it into claimed, ingests
// it, and deletes it after the store has committed. A file that cannot be ingested moves to dead, with the reason next to it.
//
// The package refuses folders that other users can write to (pkg/platform/private), because other users' events
// must not become memories, and does not follow links.
package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

const (
	tmpDir     = "tmp"
	newDir     = "new"
	claimedDir = "claimed"
	deadDir    = "dead"
)

// ErrRefused is returned for a spool that other users can write to. It is neither written nor read.
var ErrRefused = private.ErrUnsafe

const (
	reasonSuffix = ".reason"
	// maxEventBytes is more than any hook writes. A larger file is not an event.
	maxEventBytes = 4 << 20
)

// Spool is one spool directory. Each operation opens it anew, because it may be deleted or replaced at any time. Any
// number of processes may Put. Only the holder of the daemon's lock may call the other methods that change files.
type Spool struct {
	dir string
}

// New returns the spool in a directory. The directory is created by the first Put.
func New(dir string) *Spool { return &Spool{dir: dir} }

func (s *Spool) Dir() string { return s.dir }

var folders = []string{tmpDir, newDir, claimedDir, deadDir}

// open opens the spool for one operation. It fails with ErrRefused if others can write to it, fs.ErrNotExist if it is new.
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
		return fmt.Errorf("make the folder %s in the spool %s: %w", folder, root.Name(), err)
	}
	return private.CheckIn(root, folder)
}

// within runs work in the opened spool and adds piece to its error. It does nothing in an unused spool.
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

// Put stores an event in a file of mode 0600. The event survives a power failure once Put has returned.
func (s *Spool) Put(e memory.Event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write to the spool: encode the event %s: %w", e.ID, err)
	}
	root, err := s.open()
	if errors.Is(err, fs.ErrNotExist) { // the first event of this home
		if err = private.Make(s.dir); err == nil {
			root, err = s.open()
		}
	}
	if err != nil {
		return fmt.Errorf("write to the spool %s: %w", s.dir, err)
	}
	defer func() { _ = root.Close() }()
	if err := write(root, newDir, e.ID+eventSuffix, data); err != nil {
		return fmt.Errorf("write to the spool %s: %w", s.dir, err)
	}
	return nil
}

// write writes a file in tmp and renames it into the folder, so that the folder never has an incomplete file. It
// replaces a link of that name instead of following it.
func write(root *os.Root, folder, name string, data []byte) error {
	tmp := at(tmpDir, name)
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = fill(f, data)
	if err == nil {
		err = root.Rename(tmp, at(folder, name))
	}
	if err != nil {
		_ = root.Remove(tmp)
	}
	return err
}

// syncFile waits until a file is on disk. Tests replace it.
var syncFile = (*os.File).Sync

func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = syncFile(f)
	}
	return errors.Join(err, f.Close())
}

// Claim is a claimed event. If Err is set, the file is not an event and Event is empty.
type Claim struct {
	Name  string
	Event memory.Event
	Err   error
}

// Claim claims up to limit events, the oldest first, or a single suspect. Until Ack or DeadLetter the events stay on
// disk, and Recover and Release put them back. An unused spool has none.
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

// read reads an event. It opens only regular files: a link may lead anywhere, and a pipe has no end.
func read(root *os.Root, folder, name string) (memory.Event, error) {
	path := at(folder, name)
	info, err := root.Lstat(path)
	if err != nil {
		return memory.Event{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxEventBytes {
		return memory.Event{}, fmt.Errorf("%s is not an event file: %s, %d bytes: %w", name, info.Mode(), info.Size(), memory.ErrInvalid)
	}
	data, err := root.ReadFile(path)
	if err != nil {
		return memory.Event{}, err
	}
	return Decode(data)
}

// Decode parses an event and checks that it can be ingested. It returns memory.ErrInvalid if not.
func Decode(data []byte) (memory.Event, error) {
	var e memory.Event
	if err := json.Unmarshal(data, &e); err != nil {
		return memory.Event{}, memory.Mark(fmt.Errorf("the file is not an event: %w", err), memory.ErrInvalid)
	}
	if err := e.Validate(); err != nil {
		return memory.Event{}, err
	}
	return e, nil
}

// Ack deletes claimed events after the store has committed them.
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

// DeadLetter moves a claimed file to the dead letters, with the reason in a file next to it.
func (s *Spool) DeadLetter(name string, reason error) error {
	return s.within("move "+name+" to the dead letters", func(root *os.Root) error { return deadLetter(root, name, reason) })
}

func deadLetter(root *os.Root, name string, reason error) error {
	note := name + reasonSuffix
	_ = root.Remove(at(tmpDir, note)) // left by a daemon that was killed here
	if err := write(root, deadDir, note, []byte(reason.Error()+"\n")); err != nil {
		return err
	}
	return root.Rename(at(claimedDir, name), at(deadDir, name))
}

// Release puts claimed files back into the queue. It creates no folder: the spool may be another daemon's by now.
func (s *Spool) Release(names ...string) error {
	return s.within(fmt.Sprintf("release %d events", len(names)), func(root *os.Root) error {
		return errors.Join(memory.Each(names, func(name string) error { return back(root, name, name) })...)
	})
}

// back renames a claimed file into the queue. It ignores a missing file, which was stored and acknowledged.
func back(root *os.Root, name, as string) error {
	if err := root.Rename(at(claimedDir, name), at(newDir, as)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Waiting returns up to limit waiting events that are older than the event id ("" for any), without claiming them. all is false, and events empty, if
// there are more than limit. It skips unreadable spools, files that are not events, and events that are claimed at the same time.
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

// Oldest returns the time of the oldest waiting event, which is in the name of its file. It returns the zero time if none waits.
func (s *Spool) Oldest() (at time.Time) {
	_ = s.within("look into the spool", func(root *os.Root) error {
		names, err := list(root, newDir, 1)
		if len(names) > 0 {
			var nanos int64
			_, _ = fmt.Sscanf(names[0], "%16x", &nanos)
			at = time.Unix(0, nanos)
		}
		return err
	})
	return at
}

// Counts has the number of events in each folder.
type Counts struct {
	New     int `json:"new"`
	Claimed int `json:"claimed"`
	Dead    int `json:"dead"`
}

// Counts counts each event once, even if it is claimed or put back at the same time.
func (s *Spool) Counts() (c Counts, err error) {
	err = s.within("read the spool", func(root *os.Root) error {
		in := map[string]string{} // the folder of each waiting event
		// The first pass finds an event that is claimed meanwhile, the third an event that is put back. The others
		// find an event that moves back and forth between two passes.
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

// list returns the names of the event files in a folder, the oldest first. A limit of 0 means all.
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

// The name of a suspect's file records how often its event was claimed alone and failed: ID.json is not a suspect,
// ID.t0.json has not failed alone, ID.t1.json has failed once. So the count survives a killed daemon.
const (
	attemptMark = ".t"
	eventSuffix = ".json"
)

// attempts returns the parts of a file's name: the plain name, the number of attempts, and whether it is a suspect.
func attempts(name string) (plain string, n int, isSuspect bool) {
	id, _ := strings.CutSuffix(name, eventSuffix)
	at := strings.LastIndex(id, attemptMark)
	if at < 0 {
		return name, 0, false
	}
	n, err := strconv.Atoi(id[at+len(attemptMark):])
	if err != nil || n < 0 {
		return name, 0, false
	}
	return id[:at] + eventSuffix, n, true
}

// attempted returns the file name for an event that was claimed alone n times.
func attempted(plain string, n int) string {
	return strings.TrimSuffix(plain, eventSuffix) + attemptMark + strconv.Itoa(n) + eventSuffix
}

// alone returns the first names that may be claimed together: all before the first suspect, or that suspect alone.
func alone(names []string) []string {
	at := slices.IndexFunc(names, func(name string) bool {
		_, _, isSuspect := attempts(name)
		return isSuspect
	})
	if at < 0 {
		return names
	}
	return names[:max(at, 1)]
}
