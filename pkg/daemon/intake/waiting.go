package intake

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostLooked is the maximum number of spooled events that Pending reads in search of events of a starting session's
// project. If more wait, the session waits until all are stored.
const mostLooked = 64

// lockPause is the time between two attempts to get the lock Intake.writing.
const lockPause = time.Millisecond

// Pending examines the events of a project that are not stored yet and are older than id (any age for ""). mustWait is set if a starting session must wait for
// them. Otherwise ended lists the sessions whose end is among these events. All their other events are stored, so their summaries are complete.
func (in *Intake) Pending(ctx context.Context, project, id string) (ended []memory.Session, mustWait bool) {
	in.claiming.RLock() // while nothing is claimed, each event is in the spool, in claimed or in the store
	events, all := in.waiting(id)
	events = append(events, in.claimed...)
	in.claiming.RUnlock()
	if !all {
		return nil, true
	}
	events = slices.DeleteFunc(events, func(e memory.Event) bool { return in.Aliases.Of(e) != project })
	ends := map[string]time.Time{} // by session
	for _, e := range events {
		if e.Kind == memory.EventSessionEnded {
			ends[e.Session] = e.At
		}
	}
	for _, e := range events {
		if _, isEnding := ends[e.Session]; e.Kind != memory.EventSessionEnded && (isEnding || in.affectsStart(e)) {
			return nil, true
		}
	}
	if len(ends) == 0 {
		return nil, false
	}
	records, err := in.Store.Records(ctx, memory.RecordsOf(slices.Collect(maps.Keys(ends))))
	if err != nil || len(records) < len(ends) {
		return nil, true
	}
	for _, record := range records {
		s := record.Session
		s.Summary, s.EndedAt, s.LastEventAt = ingest.Summary(record, in.Counter), ends[s.ID], ends[s.ID]
		ended = append(ended, s)
	}
	return ended, false
}

// affectsStart reports whether an event may change the start of another session.
func (in *Intake) affectsStart(e memory.Event) bool {
	switch e.Kind {
	case memory.EventPrompt:
		return true // a prompt continues a session after its end
	case memory.EventSessionStarted:
		return e.Source != sourceStartup && e.Source != sourceClear
	default:
		return slices.ContainsFunc(in.batchOf([]memory.Event{e}).Memories, func(m memory.Memory) bool {
			return m.Kind.IsUserAuthored()
		})
	}
}

// waiting returns the spooled events older than id, and whether these are all. If not, it returns none.
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

// IngestFor ingests until no event of the project older than id waits. It does not wait for events of other projects
// that arrive meanwhile. It fails when ctx ends before a batch is stored, because an engine that hangs may take long.
func (in *Intake) IngestFor(ctx context.Context, project, id string) error {
	for !in.writing.TryLock() {
		if !memory.Sleep(ctx, lockPause) {
			return fmt.Errorf("the batch that is being stored did not end in time: %w", ctx.Err())
		}
	}
	defer in.writing.Unlock()
	_, err := in.ingestWhile(ctx, func() bool { return in.waits(project, id) })
	return err
}

func (in *Intake) waits(project, id string) bool {
	events, all := in.waiting(id)
	return !all || slices.ContainsFunc(events,
		func(e memory.Event) bool { return in.Aliases.Of(e) == project })
}
