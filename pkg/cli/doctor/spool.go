package doctor

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// patience is how long an event may wait for a ready daemon, which reads the spool every few seconds.
const patience = time.Minute

// spool adds findings for events that wait too long and for dead letters.
func (d *Doctor) spool(context.Context) {
	for _, dir := range d.Paths.Spools() {
		s := spool.New(dir)
		counts, err := s.Counts()
		if errors.Is(err, spool.ErrRefused) {
			d.unsafe("waiting", err, "; meanwhile the spool "+s.Dir()+" is not used, and its events may be somebody else's")
			continue
		}
		if err != nil {
			d.bad("waiting", Error, "make "+s.Dir()+" readable, such as by chown -R \"$USER\" "+s.Dir(), "the events that wait on disk cannot be read: %v", err)
			continue
		}
		if counts.Dead > 0 {
			d.dead(s, counts.Dead)
		}
		if counts.New > 0 {
			d.backlog(s, counts.New)
		}
	}
}

func (d *Doctor) backlog(s *spool.Spool, waiting int) {
	oldest := s.Oldest()
	switch {
	case d.hasNoDaemon():
		d.bad("waiting", Warning, "memory daemon start", "events wait in %s (%d), and no daemon is running",
			s.Dir(), waiting)
	case d.daemonErr != nil || d.status.State != "ready":
		d.bad("waiting", Warning, "see the findings about daemon and store", "events wait in %s (%d) for the store", s.Dir(), waiting)
	case d.Now().Sub(oldest) > patience:
		d.bad("waiting", Warning, "memory daemon ingest",
			"events wait in %s (%d), the oldest since %s, although the daemon is ready", s.Dir(), waiting, oldest.UTC().Format(time.RFC3339))
	}
}

// dead adds findings for dead letters that can be tried again, and for those that cannot be read.
func (d *Doctor) dead(s *spool.Spool, dead int) {
	revivable, err := s.Revivable()
	if err != nil {
		d.bad("dead letters", Error, "make "+s.Dir()+" readable", "the events that could not be stored cannot be read: %v", err)
		return
	}
	if revivable > 0 {
		d.bad("dead letters", Warning, "memory daemon ingest", "events that the store refused can be tried again (%d)", revivable)
	}
	if lost := dead - revivable; lost > 0 {
		folder := filepath.Join(s.Dir(), "dead")
		d.bad("dead letters", Warning, "read the reasons (*.reason) in "+folder+", then correct the files or delete them",
			"files that are not events were put aside (%d)", lost)
	}
}
