// Package intake is the one way into the store: what is spooled, imported, replayed
// or changed by hand becomes a batch, is committed and journaled, and is then told
// to those who subscribed. It refuses to know who they are.
package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/projects"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Store is what this package reads and writes. Package storetest describes each
// method.
type Store interface {
	memory.Reader
	Ingest(ctx context.Context, b memory.Batch) error
	Rows(ctx context.Context, ids []string) ([]memory.Row, error)
	Session(ctx context.Context, id string) (memory.Session, error)
	Activity(ctx context.Context, session string) (memory.Activity, error)
	Summarise(ctx context.Context, session string, s memory.Summary) error
}

// Committed is what one commit brought into the store.
type Committed struct {
	// Events are those that were captured; an import and a change by hand have none.
	Events []memory.Event
	// Memories were written or changed.
	Memories []memory.Memory
	// Sessions have ended, or go on again.
	Sessions []memory.Session
	// All says that anything may have changed: what is held is to be read anew.
	All bool
}

// Changes is what is changed by hand. Package storetest describes each method.
type Changes interface {
	Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error)
	RenameProject(ctx context.Context, key, name string) error
	MergeProjects(ctx context.Context, from, into string) (memory.Holding, error)
	PurgeProject(ctx context.Context, key string) (memory.Holding, error)
	PurgeAll(ctx context.Context) (memory.Holding, error)
}

// ErrNotOurs says that the spool belongs to another agent now, because the home
// was deleted or replaced while this one ran.
var ErrNotOurs = errors.New("the agent's home was deleted or replaced")

// NotOurs is ErrNotOurs when the spool belongs to another agent now.
func (in *Intake) NotOurs() error {
	if in.Owned != nil && !in.Owned() {
		return ErrNotOurs
	}
	return nil
}

// Intake stores events and changes. Its methods are safe for concurrent use.
type Intake struct {
	Store     Store
	Spools    *spool.Set
	Counter   tokens.Counter
	BatchSize int // events that are taken from a spool at once
	Log       *slog.Logger
	Now       func() time.Time
	Aliases   *projects.Aliases
	// Owned says that the spools are still this agent's; nil: always.
	Owned func() bool
	// Changes are journaled by themselves, see Journaled.
	Changes Changes
	// Journal takes what was ingested; nil: it is not kept.
	Journal *journal.Journal
	// Clean takes secrets out of a text before it is kept; nil: texts stay as they are.
	Clean func(string) string

	writing     sync.Mutex // held while something is stored
	subscribers []func(context.Context, Committed)
}

// Subscribe has a reader told of each commit, in the order of the commits and before
// the caller goes on. All subscribe before the first commit.
func (in *Intake) Subscribe(reader func(context.Context, Committed)) {
	in.subscribers = append(in.subscribers, reader)
}

func (in *Intake) publish(ctx context.Context, c Committed) {
	for _, tell := range in.subscribers {
		tell(ctx, c)
	}
}

// LearnAliases reads which projects were merged, unless that is known well enough.
func (in *Intake) LearnAliases(ctx context.Context) error {
	changed, err := in.Aliases.Learn(ctx)
	if changed {
		in.publish(ctx, Committed{All: true})
	}
	return err
}

// Paused runs f while nothing is stored.
func (in *Intake) Paused(f func() error) error {
	in.writing.Lock()
	defer in.writing.Unlock()
	return f()
}

// Rewrite makes a change of whole projects while nothing is stored, and has all
// that is held of them read anew.
func (in *Intake) Rewrite(ctx context.Context, change func(context.Context) error) error {
	return in.Paused(func() error {
		err := change(ctx)
		in.Aliases.Expire()
		if learnErr := in.LearnAliases(ctx); learnErr != nil && err == nil {
			err = learnErr
		}
		in.publish(ctx, Committed{All: true})
		return err
	})
}

// EmptySpools is Ingest for those who do not care how much there was.
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
	in.Spools.Salvage(in.Now())
	var total Ingested
	for _, s := range in.Spools.All() {
		for {
			if err := in.NotOurs(); err != nil {
				return total, err
			}
			claims, err := s.Claim(in.BatchSize)
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

// ingest stores claimed events and acknowledges them, and buries those that can
// never be stored.
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
		err = in.NotOurs() // where this was stored may be gone with the home: the new agent stores it again
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

// write commits the events, and sums up anew the ended sessions they belong to:
// an event may arrive after the end of its session.
func (in *Intake) write(ctx context.Context, claims []spool.Claim) error {
	events := in.cleanEvents(eventsOf(claims))
	if err := in.LearnAliases(ctx); err != nil {
		return err
	}
	batch := ingest.Batch(events, in.Counter)
	in.Aliases.Adopt(&batch)
	if err := in.Store.Ingest(ctx, batch); err != nil {
		return err
	}
	if err := in.record(events); err != nil {
		return err
	}
	if err := in.revive(ctx, batch.Memories); err != nil {
		return err
	}
	written := batch.Memories
	var over []memory.Session
	succeeded := sessionsWith(events, memory.EventCommandSucceeded)
	for _, s := range batch.Sessions {
		session, fixes, err := in.conclude(ctx, s.ID, succeeded[s.ID])
		if err != nil {
			return err
		}
		written = append(written, fixes...)
		if session.State.Over() || !s.StateAt.IsZero() { // it has ended, or goes on again
			over = append(over, session)
		}
	}
	in.publish(ctx, Committed{Events: events, Memories: written, Sessions: over})
	return nil
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
// failing command work, if one has just succeeded, and what an ended session and each
// of its turns came to. It returns the session and the memories it wrote.
func (in *Intake) conclude(ctx context.Context, id string, succeeded bool) (memory.Session, []memory.Memory, error) {
	session, err := in.Store.Session(ctx, id)
	if err != nil || !succeeded && !session.State.Over() {
		return session, nil, err
	}
	activity, err := in.Store.Activity(ctx, id)
	if err != nil {
		return session, nil, err
	}
	drawn := ingest.Fixes(activity, in.Counter)
	if session.State.Over() { // until then the last turn may say more
		cards := ingest.Cards(activity, in.Counter)
		drawn.Memories = append(drawn.Memories, cards.Memories...)
		drawn.Sightings = append(drawn.Sightings, cards.Sightings...)
	}
	if len(drawn.Memories) > 0 {
		if err := in.Store.Ingest(ctx, drawn); err != nil {
			return session, nil, err
		}
	}
	if !session.State.Over() {
		return session, drawn.Memories, nil
	}
	return session, drawn.Memories, in.Store.Summarise(ctx, id, ingest.Summary(activity, in.Counter))
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

// WaitsFor tells whether events older than the given id wait in the spools; "" asks
// for any.
func (in *Intake) WaitsFor(id string) bool {
	for _, s := range in.Spools.All() {
		if oldest := s.Oldest(); oldest != "" && (id == "" || oldest < id) {
			return true
		}
	}
	return false
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
