package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// EmptySpools is Ingest without the counts.
func (in *Intake) EmptySpools(ctx context.Context) error {
	_, err := in.Ingest(ctx)
	return err
}

// Ingested says what one Ingest did.
type Ingested struct {
	Events int // now in the store
	Dead   int // put aside as dead letters
}

// Ingest empties the spools into the store. What was claimed when the store
// failed goes back into the spool; the error then is memory.ErrUnavailable.
func (in *Intake) Ingest(ctx context.Context) (Ingested, error) {
	in.writing.Lock()
	defer in.writing.Unlock()
	return in.ingestWhile(ctx, func() bool { return true })
}

// ingestWhile is Ingest that ends before the next batch when no more is wanted. Its
// caller holds writing.
func (in *Intake) ingestWhile(ctx context.Context, isWanted func() bool) (Ingested, error) {
	defer in.busy.claim(func() []memory.Event { return nil })
	in.Spools.Salvage(in.Now())
	var total Ingested
	for _, s := range in.Spools.All() {
		for {
			if err := in.NotOurs(); err != nil {
				return total, err
			}
			if !isWanted() {
				break
			}
			var claims []spool.Claim
			var err error
			in.busy.claim(func() []memory.Event {
				claims, err = s.Claim(in.BatchSize)
				return eventsOf(claims)
			})
			if len(claims) == 0 && (err == nil || in.Spools.IsRefused(s, err)) {
				break
			}
			done, ingestErr := in.ingest(ctx, s, claims)
			total.Events += done.Events
			total.Dead += done.Dead
			if errors.Is(ingestErr, ErrNotOurs) {
				return total, errors.Join(ingestErr, s.Release(names(claims)...))
			}
			if err := errors.Join(err, ingestErr); err != nil {
				_, recoverErr := s.Recover()
				return total, errors.Join(err, recoverErr)
			}
		}
	}
	return total, nil
}

// ingest stores claimed events and acknowledges them, and puts those that can never be
// stored among the dead letters.
func (in *Intake) ingest(ctx context.Context, s *spool.Spool, claims []spool.Claim) (Ingested, error) {
	var done Ingested
	good := make([]spool.Claim, 0, len(claims))
	for _, c := range claims {
		if c.Err == nil {
			good = append(good, c)
			continue
		}
		if !errors.Is(c.Err, memory.ErrInvalid) { // the file could not be read this time
			return done, c.Err
		}
		if err := in.bury(s, c, c.Err); err != nil {
			return done, err
		}
		done.Dead++
	}
	dead, err := in.store(ctx, s, good)
	done.Dead += dead
	if err == nil {
		done.Events += len(good) - dead
	}
	return done, err
}

// store writes events as one batch. If the store refuses the batch, the events
// are tried in halves, until the one that it refuses is alone and is buried:
// one bad event must not hold up the others.
func (in *Intake) store(ctx context.Context, s *spool.Spool, claims []spool.Claim) (dead int, err error) {
	if len(claims) == 0 {
		return 0, nil
	}
	err = in.write(ctx, claims)
	if err == nil {
		err = in.NotOurs() // the store may be gone with the home: the new agent stores the events again
	}
	if err == nil {
		return 0, s.Ack(names(claims)...)
	}
	if errors.Is(err, memory.ErrUnavailable) || errors.Is(err, ErrNotOurs) || ctx.Err() != nil {
		return 0, err
	}
	if len(claims) == 1 {
		return 1, in.bury(s, claims[0], err)
	}
	half := len(claims) / 2
	first, err := in.store(ctx, s, claims[:half])
	if err != nil {
		return first, err
	}
	second, err := in.store(ctx, s, claims[half:])
	return first + second, err
}

// write commits the events, and summarises again the ended sessions they belong to: an
// event may arrive after the end of its session.
func (in *Intake) write(ctx context.Context, claims []spool.Claim) error {
	events := in.fingerprinted(in.cleanEvents(eventsOf(claims)))
	in.talks.answering(events)
	if err := in.LearnAliases(ctx); err != nil {
		return err
	}
	batch := ingest.Batch(events, in.Counter)
	in.Aliases.Adopt(&batch)
	if in.Weigh != nil {
		in.Weigh(ctx, batch.Memories, batch.UserWritten)
	}
	if err := in.Store.Ingest(ctx, batch); err != nil {
		return err
	}
	if err := in.record(events); err != nil {
		return err
	}
	if err := in.revive(ctx, batch.Memories); err != nil {
		return err
	}
	moved := map[string]bool{}
	for _, s := range batch.Sessions {
		moved[s.ID] = !s.StateAt.IsZero()
	}
	ids, due := in.sessionsToConclude(events, batch.Sessions)
	made, err := in.conclude(ctx, ids, due)
	if err != nil {
		in.forget()
		return err
	}
	in.concludedSessions(made)
	over := slices.DeleteFunc(made.sessions, func(s memory.Session) bool { // neither ended nor goes on again
		return !s.State.Over() && !moved[s.ID]
	})
	in.publish(ctx, Committed{Events: events, Memories: append(batch.Memories, made.all...), Sessions: over})
	in.outcomes.follow(events)
	return nil
}

// fingerprinted adds to events what the files that they name were like. It looks at the
// files now, shortly after the events; what was modified since is left out.
func (in *Intake) fingerprinted(events []memory.Event) []memory.Event {
	if in.Files == nil {
		return events
	}
	for i := range events {
		e := &events[i]
		e.Fingerprints = in.Files.Fingerprints(e.Project.Root, ingest.Named(*e), e.At)
	}
	return events
}

func eventsOf(claims []spool.Claim) []memory.Event {
	events := make([]memory.Event, 0, len(claims))
	for _, c := range claims {
		events = append(events, c.Event)
	}
	return events
}

func (in *Intake) bury(s *spool.Spool, c spool.Claim, reason error) error {
	reason = in.cleanError(reason)
	in.Log.Warn("an event cannot be stored and was put aside", "file", c.Name, "spool", s.Dir(), "reason", reason)
	return s.Bury(c.Name, reason)
}

func names(claims []spool.Claim) []string {
	all := make([]string, 0, len(claims))
	for _, c := range claims {
		all = append(all, c.Name)
	}
	return all
}

// Backlog counts what waits in the spools.
func (in *Intake) Backlog() (spool.Counts, error) {
	var total spool.Counts
	for _, s := range in.Spools.All() {
		c, err := s.Counts()
		if in.Spools.IsRefused(s, err) {
			continue
		}
		if err != nil {
			return total, fmt.Errorf("count the backlog: %w", err)
		}
		total.New += c.New
		total.Claimed += c.Claimed
		total.Dead += c.Dead
	}
	return total, nil
}

// revive makes archived memories active again that somebody has just asked to be kept.
func (in *Intake) revive(ctx context.Context, written []memory.Memory) error {
	var ids []string
	for _, m := range written {
		if m.Kind.UserAuthored() && m.Status != memory.StatusQuarantined {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := in.Store.Rows(ctx, ids)
	if err != nil {
		return err
	}
	for _, row := range found {
		m := row.Memory
		if m.Status != memory.StatusArchived {
			continue
		}
		now := in.Now().UTC()
		back := memory.Change{ID: memory.NewEventID(now), At: now, By: "ingest", Reason: "asked for again", Status: memory.StatusActive}
		if _, _, err := in.Changes.Amend(ctx, m.ID, back); err != nil {
			return err
		}
	}
	return nil
}
