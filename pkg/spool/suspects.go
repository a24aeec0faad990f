package spool

import (
	"errors"
	"fmt"
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
func (s *Spool) Recover() (done Recovered, err error) {
	err = s.within("recover the spool", func(root *os.Root) error {
		names, err := list(root, claimedDir, 0)
		if err != nil {
			return err
		}
		buried, err := suspect(root, errors.New("the agent ended or hung while it stored this event"), names)
		if done.Back = len(names); buried {
			done = Recovered{Buried: 1}
		}
		return err
	})
	return done, err
}

// PutBack puts back events that this agent has claimed and could not store, for a reason
// that is none of the events'.
func (s *Spool) PutBack() error {
	return s.within("put events back", func(root *os.Root) error {
		names, err := list(root, claimedDir, 0)
		for _, name := range names {
			err = errors.Join(err, back(root, name, name))
		}
		return err
	})
}

// Suspect puts claimed events back of which one may be to blame for the reason: each is
// claimed alone from now on. If it is one event, it is a dead letter after the third time,
// with the reason; it tells whether it is.
func (s *Spool) Suspect(reason error, names ...string) (buried bool, err error) {
	err = s.within(fmt.Sprintf("put %d suspects back", len(names)), func(root *os.Root) (err error) {
		buried, err = suspect(root, reason, names)
		return err
	})
	return buried, err
}

// suspect puts claimed events back, each to be claimed alone. One that was alone already is
// buried the third time.
func suspect(root *os.Root, reason error, names []string) (buried bool, err error) {
	for _, name := range names {
		plain, n, _ := attempts(name)
		if len(names) == 1 {
			if n++; n >= mostAttempts {
				return true, bury(root, name, fmt.Errorf("%w, for the third time", reason))
			}
		}
		if err := back(root, name, attempted(plain, n)); err != nil {
			return false, fmt.Errorf("put the suspect %s back: %w", name, err)
		}
	}
	return false, nil
}
