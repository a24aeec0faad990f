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
	for _, folder := range []string{newDir, deadDir} {
		names, err := s.list(folder, 0)
		if err != nil {
			return discarded, fmt.Errorf("discard from the spool: %w", err)
		}
		for _, name := range names {
			event, err := s.readFrom(folder, name)
			if err != nil || !drop(event) {
				continue
			}
			if err := os.Remove(s.path(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return discarded, fmt.Errorf("discard %s: %w", name, err)
			}
			_ = os.Remove(s.path(folder, name+reasonSuffix)) // only a dead letter has one
			discarded++
		}
	}
	return discarded, nil
}

// Revivable counts the dead letters that an agent may try again.
func (s *Spool) Revivable() (int, error) {
	names, err := s.revivable()
	return len(names), err
}

// Revive puts the dead letters back that are valid events, and returns how many
// that were. What the store refuses again comes back with its reason.
func (s *Spool) Revive() (int, error) {
	names, err := s.revivable()
	if err != nil {
		return 0, err
	}
	for i, name := range names {
		if err := os.Rename(s.path(deadDir, name), s.path(newDir, name)); err != nil {
			return i, fmt.Errorf("revive %s: %w", name, err)
		}
		_ = os.Remove(s.path(deadDir, name+reasonSuffix)) // the next reason overwrites it anyway
	}
	return len(names), nil
}

func (s *Spool) revivable() ([]string, error) {
	names, err := s.list(deadDir, 0)
	if err != nil {
		return nil, fmt.Errorf("read the dead letters: %w", err)
	}
	var valid []string
	for _, name := range names {
		if _, err := s.readFrom(deadDir, name); err == nil {
			valid = append(valid, name)
		}
	}
	return valid, nil
}
