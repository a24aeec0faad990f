// Package agent is what the resident agent does once it is wired to a store: it
// empties the spool into the store, answers what hooks ask, and runs
// maintenance on its schedule. It refuses to know which database the store is,
// or how processes are started.
package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Agent works on one store and the spools that feed it. Its methods are safe
// for concurrent use.
type Agent struct {
	Store   memory.Store
	Spools  []*spool.Spool
	Counter tokens.Counter
	Config  config.Config
	Log     *slog.Logger
	Now     func() time.Time
	// Journal takes what was ingested and changed by hand; nil: it is not kept. The
	// Store then has to be Journaled with the same one.
	Journal *journal.Journal
	// Backups is the directory of the daily backups; empty: there are none.
	Backups string

	// Embedder finds what is near by its meaning, and Vectors keeps it; nil: words
	// alone decide.
	Embedder Embedder
	Vectors  memory.VectorStore

	backingUp  sync.Mutex
	ingesting  sync.Mutex
	shelves    shelves
	indexes    indexes
	injections injections
	subagents  plannedTasks
	asked      askedSessions
	work       watchedWork
	meanings   meanings
	aliases    aliases
	ended      atomic.Bool // a session, since maintenance was last told
}

// Ingested says what one Ingest did.
type Ingested struct {
	Events int // now in the store
	Dead   int // put aside as dead letters
}

// Ingest empties the spools into the store. What was claimed when the store
// failed goes back into the spool; the error then is memory.ErrUnavailable.
func (a *Agent) Ingest(ctx context.Context) (Ingested, error) {
	a.ingesting.Lock()
	defer a.ingesting.Unlock()
	var total Ingested
	for _, s := range a.Spools {
		for {
			claims, err := s.Claim(a.Config.Agent.BatchSize)
			if len(claims) == 0 && err == nil {
				break
			}
			done, ingestErr := a.ingest(ctx, s, claims)
			total.Events += done.Events
			total.Dead += done.Dead
			if err := errors.Join(err, ingestErr); err != nil {
				_, recoverErr := s.Recover()
				return total, errors.Join(err, recoverErr)
			}
		}
	}
	return total, nil
}

// ingest stores claimed events and acknowledges them, and buries those that can
// never be stored.
func (a *Agent) ingest(ctx context.Context, s *spool.Spool, claims []spool.Claim) (Ingested, error) {
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
		if err := a.bury(s, c, c.Err); err != nil {
			return done, err
		}
		done.Dead++
	}
	dead, err := a.store(ctx, s, good)
	done.Dead += dead
	if err == nil {
		done.Events += len(good) - dead
	}
	return done, err
}

// store writes events as one batch. If the store refuses the batch, the events
// are tried in halves, until the one that it refuses is alone and is buried:
// one bad event must not hold up the others.
func (a *Agent) store(ctx context.Context, s *spool.Spool, claims []spool.Claim) (dead int, err error) {
	if len(claims) == 0 {
		return 0, nil
	}
	err = a.write(ctx, claims)
	if err == nil {
		return 0, s.Ack(names(claims)...)
	}
	if errors.Is(err, memory.ErrUnavailable) || ctx.Err() != nil {
		return 0, err
	}
	if len(claims) == 1 {
		return 1, a.bury(s, claims[0], err)
	}
	half := len(claims) / 2
	first, err := a.store(ctx, s, claims[:half])
	if err != nil {
		return first, err
	}
	second, err := a.store(ctx, s, claims[half:])
	return first + second, err
}

// write commits the events, and sums up anew the ended sessions they belong to:
// an event may arrive after the end of its session.
func (a *Agent) write(ctx context.Context, claims []spool.Claim) error {
	events := eventsOf(claims)
	if err := a.learnAliases(ctx); err != nil {
		return err
	}
	batch := ingest.Batch(events, a.Counter)
	a.adopt(&batch)
	batch.Uses = a.usesBy(ctx, events)
	if err := a.Store.Ingest(ctx, batch); err != nil {
		return err
	}
	if err := a.recordEvents(events); err != nil {
		return err
	}
	a.work.note(events)
	if len(sessionsWith(events, memory.EventSessionEnded)) > 0 {
		a.ended.Store(true)
	}
	if err := a.revive(ctx, batch.Memories); err != nil {
		return err
	}
	written := batch.Memories
	var over []memory.Session
	succeeded := sessionsWith(events, memory.EventCommandSucceeded)
	for _, s := range batch.Sessions {
		session, fixes, err := a.conclude(ctx, s.ID, succeeded[s.ID])
		if err != nil {
			return err
		}
		written = append(written, fixes...)
		if session.State.Over() || !s.StateAt.IsZero() { // it has ended, or goes on again
			over = append(over, session)
		}
	}
	a.restock(ctx, written, over)
	return a.refresh(ctx, written)
}

func eventsOf(claims []spool.Claim) []memory.Event {
	events := make([]memory.Event, 0, len(claims))
	for _, c := range claims {
		events = append(events, c.Event)
	}
	return events
}

func sessionsWith(events []memory.Event, kind memory.EventKind) map[string]bool {
	found := map[string]bool{}
	for _, e := range events {
		if e.Kind == kind {
			found[e.Session] = true
		}
	}
	return found
}

// conclude draws from a whole session what no single event tells: what made a
// failing command work, if one has just succeeded, and what an ended session came
// to. It returns the session and the memories it wrote.
func (a *Agent) conclude(ctx context.Context, id string, succeeded bool) (memory.Session, []memory.Memory, error) {
	session, err := a.Store.Session(ctx, id)
	if err != nil || !succeeded && !session.State.Over() {
		return session, nil, err
	}
	activity, err := a.Store.Activity(ctx, id)
	if err != nil {
		return session, nil, err
	}
	fixes := ingest.Fixes(activity, a.Counter)
	if len(fixes.Memories) > 0 {
		if err := a.Store.Ingest(ctx, fixes); err != nil {
			return session, nil, err
		}
	}
	if !session.State.Over() {
		return session, fixes.Memories, nil
	}
	return session, fixes.Memories, a.Store.Summarise(ctx, id, ingest.Summary(activity, a.Counter))
}

func (a *Agent) bury(s *spool.Spool, c spool.Claim, reason error) error {
	a.Log.Warn("an event cannot be stored and was put aside", "file", c.Name, "spool", s.Dir(), "reason", reason)
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
func (a *Agent) Backlog() (spool.Counts, error) {
	var total spool.Counts
	for _, s := range a.Spools {
		c, err := s.Counts()
		if err != nil {
			return total, fmt.Errorf("count the backlog: %w", err)
		}
		total.New += c.New
		total.Claimed += c.Claimed
		total.Dead += c.Dead
	}
	return total, nil
}
