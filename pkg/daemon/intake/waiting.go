package intake

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostLooked limits the waiting events that are searched for those of a starting session's project;
// if more wait, the session waits for all of them.
const mostLooked = 64

// lockPause is the time between two tries to get the lock.
const lockPause = time.Millisecond

// MustWait reports whether a starting session must wait for events of its project that are not
// stored yet and are older than the given id ("" means any age).
func (in *Intake) MustWait(project, id string) bool {
	stored := in.busy.now() // before the look at the waiting events: an event goes from there to here
	waiting, all := in.waiting(id)
	return !all || slices.ContainsFunc(slices.Concat(stored, waiting), func(e memory.Event) bool {
		return in.Aliases.Resolve(e.Project.Key) == project && in.affectsStart(e)
	})
}

// affectsStart reports whether an event may change another session's start.
func (in *Intake) affectsStart(e memory.Event) bool {
	switch e.Kind {
	case memory.EventPrompt, memory.EventSessionEnded:
		return true // a prompt makes a session that was over go on
	case memory.EventSessionStarted:
		return e.Source != sourceStartup && e.Source != sourceClear
	default:
		return slices.ContainsFunc(in.batchOf([]memory.Event{e}).Memories, func(m memory.Memory) bool {
			return m.Kind.UserAuthored()
		})
	}
}

// waiting returns the events in the spools that are older than the given id, and whether these are
// all; if not, it returns no events.
func (in *Intake) waiting(id string) (events []memory.Event, all bool) {
	for _, s := range in.Spools.All() {
		some, all := s.Waiting(id, mostLooked)
		if !all {
			return nil, false
		}
		events = append(events, some...)
	}
	return events, true
}

// IngestFor ingests until no older event of the project waits. Unlike Ingest, it ends although
// events of other projects keep coming in. It fails when ctx ends while it waits for another batch:
// an engine that hangs may take long to store one.
func (in *Intake) IngestFor(ctx context.Context, project, id string) error {
	for !in.writing.TryLock() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the batch that is being stored: %w", ctx.Err())
		case <-time.After(lockPause):
		}
	}
	defer in.writing.Unlock()
	_, err := in.ingestWhile(ctx, func() bool { return in.waits(project, id) })
	return err
}

func (in *Intake) waits(project, id string) bool {
	events, all := in.waiting(id)
	return !all || slices.ContainsFunc(events,
		func(e memory.Event) bool { return in.Aliases.Resolve(e.Project.Key) == project })
}
