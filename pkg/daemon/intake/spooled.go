package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// Ingest stores the events of all spools. If the store is unavailable, it puts the claimed events back and fails with memory.ErrUnavailable.
func (in *Intake) Ingest(ctx context.Context) (daemonapi.IngestResult, error) {
	in.writing.Lock()
	defer in.writing.Unlock()
	return in.ingestWhile(ctx, func() bool { return true })
}

// ingestWhile does what Ingest does, until isWanted returns false. The caller must hold in.writing.
func (in *Intake) ingestWhile(ctx context.Context, isWanted func() bool) (daemonapi.IngestResult, error) {
	defer in.claim(func() []memory.Event { return nil })
	in.imported = map[string][]occurrence{}
	in.Spools.RecoverTemp(in.Now())
	var total daemonapi.IngestResult
	for _, s := range in.Spools.All() {
		done, err := in.empty(ctx, s, isWanted)
		total.Events += done.Events
		total.Dead += done.Dead
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// empty stores the events of a spool, batch by batch.
func (in *Intake) empty(ctx context.Context, s *spool.Spool, isWanted func() bool) (total daemonapi.IngestResult, err error) {
	for {
		t := in.take(ctx, s, isWanted)
		if len(t.claims) == 0 {
			return total, t.err
		}
		if errors.Is(t.err, errStuck) {
			t.undo()
			dead, err := in.isolate(s, t, errStuck)
			if total.Dead += dead; err != nil {
				return total, errors.Join(err, t.giveBack(s))
			}
			continue
		}
		done, err := in.ingest(ctx, s, t)
		total.Events += done.Events
		total.Dead += done.Dead
		if err = errors.Join(t.err, err); err != nil {
			if in.isToBlame(ctx, err) {
				dead, suspectErr := in.isolate(s, t, err)
				total.Dead, err = total.Dead+dead, errors.Join(err, suspectErr)
			}
			return total, errors.Join(err, t.giveBack(s))
		}
	}
}

// ingest stores and acknowledges claimed events. Those that can never be stored become dead letters.
func (in *Intake) ingest(ctx context.Context, s *spool.Spool, t taken) (done daemonapi.IngestResult, err error) {
	for _, c := range t.claims {
		if c.Err == nil {
			continue
		}
		if !errors.Is(c.Err, memory.ErrInvalid) { // the file may be readable later
			return done, c.Err
		}
		if err := in.deadLetter(s, c, c.Err); err != nil {
			return done, err
		}
		done.Dead++
	}
	stored := len(t.good)
	var notAcknowledged error
	err = inHalves(ctx, 0, len(t.good), func(from, to int) error {
		part := t.prepared
		if to-from < len(t.good) {
			part.good, part.events = part.good[from:to], part.events[from:to]
			part.batch = in.batchOf(part.events)
		}
		err := in.write(ctx, part)
		if err == nil {
			err = in.CheckOwned() // if the store has gone with the home, the new daemon stores the events again
		}
		if err == nil {
			notAcknowledged = errors.Join(notAcknowledged, s.Ack(names(part.good)...))
		}
		return in.orMissingSchema(ctx, err)
	}, func(at int, reason error) error {
		done.Dead++
		stored--
		return in.deadLetter(s, t.good[at], reason)
	})
	if err = errors.Join(err, notAcknowledged); err == nil {
		done.Events = stored
	}
	return done, err
}

// inHalves calls try for a range of events. If try refuses the range, inHalves tries each half, down to single
// events, and calls refuse for each event that is refused alone. It returns at once any error that is no refusal.
func inHalves(ctx context.Context, from, to int, try func(from, to int) error, refuse func(at int, reason error) error) error {
	if from == to {
		return nil
	}
	err := try(from, to)
	switch {
	case err == nil || errors.Is(err, memory.ErrUnavailable) || errors.Is(err, ErrHomeLost) || ctx.Err() != nil:
		return err
	case to-from == 1:
		return refuse(from, err)
	}
	half := (from + to) / 2
	if err := inHalves(ctx, from, half, try, refuse); err != nil {
		return err
	}
	return inHalves(ctx, half, to, try, refuse)
}

// orMissingSchema returns memory.ErrSchema in place of a refusal if the store has another version's schema: such a store refuses valid events.
func (in *Intake) orMissingSchema(ctx context.Context, refusal error) error {
	if refusal == nil || in.HasSchema == nil || errors.Is(refusal, memory.ErrUnavailable) ||
		errors.Is(refusal, ErrHomeLost) || ctx.Err() != nil {
		return refusal
	}
	if err := in.HasSchema(ctx); err != nil {
		return fmt.Errorf("%w: %s", err, refusal.Error()) // the refusal is added as text only, because it must not count against the events
	}
	return refusal
}

// write commits the events, and summarises ended sessions among them again.
func (in *Intake) write(ctx context.Context, p prepared) error {
	if err := in.LearnAliases(ctx); err != nil {
		return err
	}
	events, batch := in.Aliases.withoutOff(p.events), p.batch
	if len(events) < len(p.events) {
		batch = in.batchOf(events)
	}
	in.Aliases.Rekey(&batch)
	if err := in.leaveOutImported(ctx, events, &batch); err != nil {
		return err
	}
	ids, moved := make([]string, len(batch.Sessions)), map[string]bool{}
	for i, s := range batch.Sessions {
		ids[i], moved[s.ID] = s.ID, !s.StateAt.IsZero()
	}
	batch.Received = in.Now()
	made, err := in.Store.Conclude(ctx, batch, ids, in.failures.due(events), in.derive)
	if err != nil {
		in.failures.forget()
		return ingestError{err}
	}
	in.failures.learn(made.Records)
	in.expectRead(events)
	replaced, err := in.replace(ctx, events, batch)
	if err != nil {
		return err
	}
	over := slices.DeleteFunc(made.Sessions, func(s memory.Session) bool { // leave out sessions that neither ended nor continued after their end
		return !s.State.IsOver() && !moved[s.ID]
	})
	in.publish(ctx, Committed{
		Events: events, Memories: slices.Concat(batch.Memories, made.Derived.Memories, made.Superseded, replaced), Sessions: over,
	})
	return nil
}

func (in *Intake) deadLetter(s *spool.Spool, c spool.Claim, reason error) error {
	reason = in.cleanError(reason)
	in.Log.Warn("an event cannot be stored and was put aside", "file", c.Name, "spool", s.Dir(), "reason", reason)
	return s.DeadLetter(c.Name, reason)
}

// ingestError is the store's error for a batch.
type ingestError struct{ error }

func (e ingestError) Unwrap() error { return e.error }

// isToBlame reports whether the events cause an error: the store refused them, but accepts another write and has its schema.
func (in *Intake) isToBlame(ctx context.Context, err error) bool {
	var refused ingestError
	return errors.As(err, &refused) && errors.Is(err, memory.ErrUnavailable) && ctx.Err() == nil &&
		in.CanWrite != nil && in.CanWrite(ctx) == nil && (in.HasSchema == nil || in.HasSchema(ctx) == nil)
}

// isolate puts the events of a batch back so that each is tried alone, because one of them may cause the error. It
// returns the number of dead letters: 1 if the batch was a single event that failed for the third time.
func (in *Intake) isolate(s *spool.Spool, t taken, reason error) (dead int, err error) {
	reason = in.cleanError(reason)
	isDead, err := s.Isolate(reason, names(t.claims)...)
	if isDead {
		dead = 1
		in.Log.Warn("an event failed three times and was put aside", "file", t.claims[0].Name, "spool", s.Dir(), "reason", reason)
	} else {
		in.Log.Warn("events could not be stored; each is tried alone", "events", len(t.claims), "spool", s.Dir(),
			"reason", reason)
	}
	return dead, err
}

// SpooledCounts returns the number of events in the spools.
func (in *Intake) SpooledCounts() (spool.Counts, error) {
	var total spool.Counts
	for _, s := range in.Spools.All() {
		c, err := s.Counts()
		if in.Spools.IsRefused(s, err) {
			continue
		}
		if err != nil {
			return total, fmt.Errorf("count the events in the spools: %w", err)
		}
		total.New += c.New
		total.Claimed += c.Claimed
		total.Dead += c.Dead
	}
	return total, nil
}

// lateAfter is the time after which an event counts as late. Other events waited for a second at most.
const lateAfter = 10 * time.Second

// leaveOutImported drops from a batch of hooks' events what was imported of the same sessions meanwhile. This can only
// concern late events, because an import first stores what waits. Each session is read once while the spools are emptied.
func (in *Intake) leaveOutImported(ctx context.Context, events []memory.Event, batch *memory.Batch) error {
	var unread []string
	late := map[string]bool{}
	for _, e := range events {
		if in.Now().Sub(e.At) <= lateAfter || e.Session == "" || late[e.Session] {
			continue
		}
		late[e.Session] = true
		if _, isRead := in.imported[e.Session]; !isRead {
			unread = append(unread, e.Session)
		}
	}
	for some := range slices.Chunk(unread, concludedAtOnce) {
		records, err := in.Store.Records(ctx, memory.RecordsOf(some))
		if err != nil {
			return err
		}
		for _, id := range some {
			in.imported[id] = nil
		}
		for _, record := range records {
			in.imported[record.Session.ID] = slices.DeleteFunc(occurrences(record), func(o occurrence) bool { return !memory.IsImportID(o.id) })
		}
	}
	for session := range late {
		leaveOutOtherWay(batch, session, in.imported[session])
	}
	return nil
}

// taken is a batch of claimed events.
type taken struct {
	claims []spool.Claim // all claims, including files that are not events
	err    error         // why no more were claimed, or why the batch was not prepared
	prepared
	undo func() // restores the cached last words of the sessions, because the events will be taken again
}

// prepared has the events of a batch and their rows.
type prepared struct {
	good   []spool.Claim // claims of events
	events []memory.Event
	batch  memory.Batch
}

// prepareTime limits the preparation of a batch.
const prepareTime = 20 * time.Second

// errStuck means that a batch was not prepared within prepareTime.
var errStuck = errors.New("it was not read within " + prepareTime.String())

// take claims and prepares the next batch of a spool; none if isWanted returns false. err may be errStuck.
func (in *Intake) take(ctx context.Context, s *spool.Spool, isWanted func() bool) taken {
	t := taken{undo: func() {}}
	if t.err = in.CheckOwned(); t.err != nil || !isWanted() {
		return t
	}
	in.claim(func() []memory.Event {
		t.claims, t.err = s.Claim(in.BatchSize)
		return eventsOf(t.claims)
	})
	if len(t.claims) == 0 {
		if t.err != nil && in.Spools.IsRefused(s, t.err) {
			t.err = nil
		}
		return t
	}
	t.good = slices.DeleteFunc(slices.Clone(t.claims), func(c spool.Claim) bool { return c.Err != nil })
	claimed := eventsOf(t.good) // a copy: a reader that was left behind at the deadline may still use it
	events, isDone := filestate.Within(ctx, prepareTime, func() []memory.Event { return in.receivedAll(claimed) })
	if isDone {
		t.undo = in.lastWords.set(events)
		t.batch, isDone = filestate.Within(ctx, prepareTime, func() memory.Batch { return in.batchOf(events) })
	}
	if isDone {
		t.events = events
	} else {
		t.prepared, t.err = prepared{}, cmp.Or(ctx.Err(), errStuck)
	}
	return t
}

// claim calls take, and records the events that it returns as those being stored, in place of the previous batch.
func (in *Intake) claim(take func() []memory.Event) {
	in.claiming.Lock()
	defer in.claiming.Unlock()
	in.claimed = take()
}

// giveBack returns claimed events to the spool.
func (t taken) giveBack(s *spool.Spool) error {
	t.undo()
	return s.Release(names(t.claims)...)
}

func eventsOf(claims []spool.Claim) []memory.Event {
	return memory.Each(claims, func(c spool.Claim) memory.Event { return c.Event })
}

func names(claims []spool.Claim) []string {
	return memory.Each(claims, func(c spool.Claim) string { return c.Name })
}
