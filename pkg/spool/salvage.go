package spool

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

const (
	// writing is longer than a hook needs to write its file and rename it.
	writing = time.Minute
	// keptHalf is how long an incomplete file is kept in tmp, for inspection.
	keptHalf = 24 * time.Hour
)

// Salvaged counts the files of killed hooks that Salvage handled.
type Salvaged struct {
	Taken  int // whole events, now in the queue
	Purged int // files that were no whole event, and old
}

// Salvage handles the files that killed hooks have left in tmp: whole events are moved
// into the queue, incomplete ones are deleted after a day.
func (s *Spool) Salvage(now time.Time) (done Salvaged, err error) {
	err = s.within("look for the files of killed hooks", func(root *os.Root) error {
		names, err := entries(root, tmpDir)
		if err != nil {
			return err
		}
		for _, name := range names {
			info, err := root.Lstat(at(tmpDir, name))
			if err != nil || now.Sub(info.ModTime()) < writing { // renamed meanwhile, or about to be
				continue
			}
			switch {
			case isWhole(root, name):
				err = root.Rename(at(tmpDir, name), at(newDir, name))
				done.Taken++
			case now.Sub(info.ModTime()) >= keptHalf:
				err = root.RemoveAll(at(tmpDir, name))
				done.Purged++
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
	return done, err
}

// isWhole says that a file in tmp is a complete event with the id in its name.
func isWhole(root *os.Root, name string) bool {
	id, isEvent := strings.CutSuffix(name, eventSuffix)
	if !isEvent {
		return false
	}
	event, err := read(root, tmpDir, name)
	return err == nil && event.ID == id
}
