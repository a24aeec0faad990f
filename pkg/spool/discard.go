package spool

import (
	"errors"
	"io/fs"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Discard deletes the events that wait or were put aside and that drop chooses,
// and returns how many that were. A file that holds no event is left. Only the
// one who may Claim may do this.
func (s *Spool) Discard(drop func(memory.Event) bool) (discarded int, err error) {
	err = s.within("discard from the spool", func(root *os.Root) error {
		for _, folder := range []string{newDir, deadDir} {
			err := each(root, folder, func(name string, event memory.Event) error {
				if !drop(event) {
					return nil
				}
				if err := root.Remove(at(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				_ = root.Remove(at(folder, name+reasonSuffix)) // only a dead letter has one
				discarded++
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return discarded, err
}

// each does something with each valid event in a folder.
func each(root *os.Root, folder string, do func(name string, event memory.Event) error) error {
	names, err := list(root, folder, 0)
	for _, name := range names {
		event, readErr := read(root, folder, name)
		if readErr != nil {
			continue
		}
		if err := do(name, event); err != nil {
			return err
		}
	}
	return err
}

// Revivable counts the dead letters that can be tried again.
func (s *Spool) Revivable() (int, error) { return s.eachRevivable(nil) }

// Revive puts the dead letters back that are valid events, and returns how many that
// were. An event that the store refuses again becomes a dead letter again.
func (s *Spool) Revive() (int, error) {
	return s.eachRevivable(func(root *os.Root, name string) error {
		plain, _, _ := attempts(name) // its attempts are counted anew
		if err := root.Rename(at(deadDir, name), at(newDir, plain)); err != nil {
			return err
		}
		_ = root.Remove(at(deadDir, name+reasonSuffix)) // the next reason overwrites it anyway
		return nil
	})
}

// eachRevivable does something, or nothing, with each valid dead letter and
// returns how many it has done.
func (s *Spool) eachRevivable(do func(*os.Root, string) error) (done int, err error) {
	err = s.within("read the dead letters", func(root *os.Root) error {
		return each(root, deadDir, func(name string, _ memory.Event) error {
			if do != nil {
				if err := do(root, name); err != nil {
					return err
				}
			}
			done++
			return nil
		})
	})
	return done, err
}
