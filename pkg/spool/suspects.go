package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// mostAttempts is how often an event may be alone when something goes wrong: then it is to
// blame, and put aside.
const mostAttempts = 3

// Recovered counts the claims that Recover put back.
type Recovered struct {
	Back   int // events that are in the queue again
	Buried int // events that became dead letters
}

// Recover puts back the claims of an agent that is gone: it was killed, or hung, while it
// stored these events. Where there are several, they are suspects from now on. One that was
// alone for the third time becomes a dead letter. A spool that nobody has used has none.
func (s *Spool) Recover() (Recovered, error) {
	var done Recovered
	root, err := s.open()
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	if err != nil {
		return done, fmt.Errorf("recover the spool: %w", err)
	}
	defer func() { _ = root.Close() }()
	names, err := list(root, claimedDir, 0)
	if err != nil {
		return done, fmt.Errorf("recover the spool: %w", err)
	}
	if len(names) == 1 {
		buried, err := s.blame(root, names[0], errors.New("the agent ended or hung while it stored this event"))
		if buried {
			return Recovered{Buried: 1}, err
		}
		return Recovered{Back: 1}, err
	}
	for _, name := range names {
		if err := suspect(root, name); err != nil {
			return done, fmt.Errorf("recover %s: %w", name, err)
		}
		done.Back++
	}
	return done, nil
}

// PutBack puts back events that this agent has claimed and could not store, for a reason
// that is none of the events'.
func (s *Spool) PutBack() error {
	root, err := s.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("put events back: %w", err)
	}
	defer func() { _ = root.Close() }()
	names, err := list(root, claimedDir, 0)
	if err != nil {
		return fmt.Errorf("put events back: %w", err)
	}
	for _, name := range names {
		if err := root.Rename(at(claimedDir, name), at(newDir, name)); err != nil {
			return fmt.Errorf("put %s back: %w", name, err)
		}
	}
	return nil
}

// Suspect puts claimed events back of which one may be to blame for the reason: each is
// claimed alone from now on. If it is one event, it is a dead letter after the third time,
// with the reason; it tells whether it is.
func (s *Spool) Suspect(reason error, names ...string) (buried bool, err error) {
	root, err := s.open()
	if err != nil {
		return false, fmt.Errorf("put %d suspects back: %w", len(names), err)
	}
	defer func() { _ = root.Close() }()
	if len(names) == 1 {
		return s.blame(root, names[0], reason)
	}
	for _, name := range names {
		if err := suspect(root, name); err != nil {
			return false, fmt.Errorf("put the suspect %s back: %w", name, err)
		}
	}
	return false, nil
}

// suspect puts a claimed event back, to be claimed alone.
func suspect(root *os.Root, name string) error {
	plain, n, _ := attempts(name)
	err := root.Rename(at(claimedDir, name), at(newDir, attempted(plain, n)))
	if errors.Is(err, fs.ErrNotExist) { // it was stored, and is acknowledged
		return nil
	}
	return err
}

// blame puts back a claimed event that was alone, or, the third time, buries it.
func (s *Spool) blame(root *os.Root, name string, reason error) (buried bool, err error) {
	plain, n, _ := attempts(name)
	if n+1 >= mostAttempts {
		return true, s.Bury(name, fmt.Errorf("%w, for the third time", reason))
	}
	if err := root.Rename(at(claimedDir, name), at(newDir, attempted(plain, n+1))); err != nil {
		return false, fmt.Errorf("put the suspect %s back: %w", name, err)
	}
	return false, nil
}
