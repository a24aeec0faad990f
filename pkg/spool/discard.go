package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Discard deletes the events that wait or were put aside and that drop chooses,
// and returns how many that were. A file that holds no event is left. Only the
// one who may Claim may do this.
func (s *Spool) Discard(drop func(memory.Event) bool) (int, error) {
	discarded := 0
	root, err := s.open()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("discard from the spool: %w", err)
	}
	defer func() { _ = root.Close() }()
	for _, folder := range []string{newDir, deadDir} {
		names, err := list(root, folder, 0)
		if err != nil {
			return discarded, fmt.Errorf("discard from the spool: %w", err)
		}
		for _, name := range names {
			event, err := read(root, folder, name)
			if err != nil || !drop(event) {
				continue
			}
			if err := root.Remove(at(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return discarded, fmt.Errorf("discard %s: %w", name, err)
			}
			_ = root.Remove(at(folder, name+reasonSuffix)) // only a dead letter has one
			discarded++
		}
	}
	return discarded, nil
}

// Revivable counts the dead letters that can be tried again.
func (s *Spool) Revivable() (int, error) { return s.eachRevivable(nil) }

// Revive puts the dead letters back that are valid events, and returns how many that
// were. An event that the store refuses again becomes a dead letter again.
func (s *Spool) Revive() (int, error) {
	return s.eachRevivable(func(root *os.Root, name string) error {
		plain, _, _ := attempts(name) // its attempts are counted anew
		if err := root.Rename(at(deadDir, name), at(newDir, plain)); err != nil {
			return fmt.Errorf("revive %s: %w", name, err)
		}
		_ = root.Remove(at(deadDir, name+reasonSuffix)) // the next reason overwrites it anyway
		return nil
	})
}

// eachRevivable does something, or nothing, with each valid dead letter and
// returns how many it has done.
func (s *Spool) eachRevivable(do func(*os.Root, string) error) (int, error) {
	root, err := s.open()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the dead letters: %w", err)
	}
	defer func() { _ = root.Close() }()
	names, err := list(root, deadDir, 0)
	if err != nil {
		return 0, fmt.Errorf("read the dead letters: %w", err)
	}
	done := 0
	for _, name := range names {
		if _, err := read(root, deadDir, name); err != nil {
			continue
		}
		if do != nil {
			if err := do(root, name); err != nil {
				return done, err
			}
		}
		done++
	}
	return done, nil
}
