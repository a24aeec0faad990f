package intake

import (
	"context"
	"fmt"
	"time"
)

// mostLooked is how many waiting events a starting session has looked through for its
// own project; where more wait, it waits for all of them.
const mostLooked = 64

// lockPause is the time between two looks whether something is still being stored.
const lockPause = time.Millisecond

// WaitsFor tells whether events of a project older than the given id wait in the spools
// or are just being stored; "" asks for any age.
func (in *Intake) WaitsFor(project, id string) bool {
	return in.busy.with(project) || in.waits(project, id)
}

// IngestFor ingests until no older event of the project waits. Unlike Ingest it ends
// while events of other projects keep coming in, and when ctx ends: what is just being
// stored may take as long as an engine that hangs.
func (in *Intake) IngestFor(ctx context.Context, project, id string) error {
	for !in.writing.TryLock() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for what is being stored: %w", ctx.Err())
		case <-time.After(lockPause):
		}
	}
	defer in.writing.Unlock()
	_, err := in.ingestWhile(ctx, func() bool { return in.waits(project, id) })
	return err
}

func (in *Intake) waits(project, id string) bool {
	for _, s := range in.Spools.All() {
		events, all := s.Waiting(id, mostLooked)
		if !all {
			return true
		}
		for _, e := range events {
			if in.Aliases.Resolve(e.Project.Key) == project {
				return true
			}
		}
	}
	return false
}
