package book

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store reads and writes the rows of a book. Package storetest describes each method.
type Store interface {
	Apply(ctx context.Context, w memory.Write) error
	Read(ctx context.Context, k memory.Keys) (memory.Rows, error)
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)
	Stats(ctx context.Context, project string) (memory.Stats, error)
}

// Writer are the methods of a Book.
type Writer interface {
	Repeat(ctx context.Context, w memory.Write) error
	Ingest(ctx context.Context, batch memory.Batch) error
	Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error)
	Commit(ctx context.Context, c memory.Commit) (skipped []string, err error)
	RenameProject(ctx context.Context, key, name string) error
	MergeProjects(ctx context.Context, from, into string) (moved memory.Holding, err error)
	Purge(ctx context.Context, key string) (purged memory.Holding, err error)
}

// Book changes a store: it reads the rows that a change depends on, makes the write, and makes it again
// if these rows have changed meanwhile. Its methods are safe for concurrent use.
type Book struct {
	store Store
	// making has room for one: while a write is made, only other programs' writes overtake it.
	making chan struct{}
}

// New is the book of a store.
func New(store Store) *Book { return &Book{store, make(chan struct{}, 1)} }

// mostRaces bounds how often a write is made again because its rows changed in between.
const mostRaces = 10

// errRace is of a change that others have overtaken that often; the same may work later.
var errRace = fmt.Errorf("%w: others keep changing the same rows: try again", memory.ErrUnavailable)

// retried makes and applies a write until nobody has overtaken it.
func (b *Book) retried(ctx context.Context, write func() error) error {
	select {
	case b.making <- struct{}{}:
		defer func() { <-b.making }()
	case <-ctx.Done():
		return fmt.Errorf("wait for another change: %w", ctx.Err())
	}
	for range mostRaces {
		err := write()
		if errors.Is(err, memory.ErrWritten) { // the answer to the first time was lost
			return nil
		}
		if !errors.Is(err, memory.ErrConflict) {
			return err
		}
	}
	return errRace
}

// Ingest writes a batch in one transaction. Writing it again, or its parts in another
// order, leaves the same rows: a session and a memory have the newest event's values,
// sightings and prompts count once by their id. A summary completes a session that is
// summarising; the summary of a missing session is left out.
func (b *Book) Ingest(ctx context.Context, batch memory.Batch) error {
	err := b.retried(ctx, func() error {
		rows, err := b.store.Read(ctx, BatchKeys(batch))
		if err != nil {
			return err
		}
		return b.store.Apply(ctx, BatchWrite(batch, rows))
	})
	if err != nil {
		return fmt.Errorf("ingest %d sessions, %d memories: %w", len(batch.Sessions), len(batch.Memories), err)
	}
	return nil
}

// Amend changes one memory and records the change as a run of its own, in one
// transaction. It returns the memory before and after: where the change made another
// memory of it, an edge leads from the new to the old one, which is archived. An
// empty change is not recorded, and one that was made before is not made again. memory.ErrNotFound, or memory.ErrInvalid if the
// memory cannot be changed like that.
func (b *Book) Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	err = b.retried(ctx, func() error {
		rows, err := b.store.Read(ctx, memory.Keys{Memories: []string{id}})
		if err != nil {
			return err
		}
		row, isThere := rows.Memories[id]
		if !isThere {
			return memory.ErrNotFound
		}
		before = row.Memory
		if after, err = c.Apply(before); err == nil && after.ID != id {
			if rows, err = b.store.Read(ctx, memory.Keys{Memories: []string{after.ID}}); err != nil {
				return err
			}
		}
		w, next, err := ChangeWrite(row, rows.Memories, c)
		if after = next; err == nil && len(w.Rows) > 0 {
			err = b.store.Apply(ctx, w)
		}
		if errors.Is(err, memory.ErrWritten) {
			after = before
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("change memory %s: %w", id, err)
	}
	return before, after, err
}

// Commit records a step of a maintenance run with its actions, and makes them,
// in one transaction. A second commit of the same run updates its counts. It
// returns the ids of the memories whose rows have changed since the actions
// were planned: these were left alone and their actions are not recorded.
// memory.ErrLeaseLost if the lease is no longer held.
func (b *Book) Commit(ctx context.Context, c memory.Commit) (skipped []string, err error) {
	err = b.retried(ctx, func() error {
		var rows memory.Rows
		if c.Run.ID != "" {
			if rows, err = b.store.Read(ctx, StepKeys(c)); err != nil {
				return err
			}
		}
		var w memory.Write
		w, skipped = StepWrite(c, rows)
		return b.store.Apply(ctx, w)
	})
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", c.Subject(), err)
	}
	return skipped, nil
}

// Repeat applies a write of another store, such as one of a journal, to the rows as they are here: each becomes
// as it was there, whatever it is.
func (b *Book) Repeat(ctx context.Context, w memory.Write) error {
	return b.retried(ctx, func() error {
		rows, err := b.store.Read(ctx, repeatKeys(w))
		if err == nil {
			if w := repeated(w, rows); len(w.Rows) > 0 {
				err = b.store.Apply(ctx, w)
			}
		}
		return err
	})
}

// RenameProject sets the name of a project that people see; an empty name removes
// it. memory.ErrNotFound if there is no such project.
func (b *Book) RenameProject(ctx context.Context, key, name string) error {
	err := b.retried(ctx, func() error {
		rows, err := b.projects(ctx, key)
		if err != nil {
			return err
		}
		named := rows[key]
		named.GivenName = name
		return b.store.Apply(ctx, memory.Write{Rows: []memory.RowChange{{Before: rows[key], After: named}}})
	})
	if err != nil {
		return fmt.Errorf("rename project %s: %w", key, err)
	}
	return nil
}

// MergeProjects moves everything of one project to another, in one transaction. Ids stay.
// From then on the first project, and those merged into it, name the second as MergedInto.
// Doing it again moves the rows that have come since. memory.ErrNotFound if one of them is
// not there, memory.ErrInvalid if the second is part of the first.
func (b *Book) MergeProjects(ctx context.Context, from, into string) (moved memory.Holding, err error) {
	err = b.retried(ctx, func() error {
		all, err := b.parts(ctx, from)
		if err != nil {
			return err
		}
		rows, err := b.projects(ctx, append(all, into)...)
		if err != nil {
			return err
		}
		into := cmp.Or(rows[into].MergedInto, into)
		if slices.Contains(all, into) {
			return fmt.Errorf("into a part of itself: %w", memory.ErrInvalid)
		}
		if moved, err = b.holding(ctx, from); err != nil {
			return err
		}
		var w memory.Write
		for _, key := range all {
			next := rows[key]
			next.MergedInto = into
			w.Rows = append(w.Rows, memory.RowChange{Before: rows[key], After: next})
		}
		return b.store.Apply(ctx, w)
	})
	if err != nil {
		return memory.Holding{}, fmt.Errorf("merge project %s: %w", from, err)
	}
	return moved, nil
}

// Purge deletes for good all rows of a project and of those merged into it,
// the record of changes included; for "" every row, and only the schema stays. Memories
// promoted to the user stay with a project. It may be done again where it was interrupted.
// memory.ErrNotFound if there is no such project.
func (b *Book) Purge(ctx context.Context, key string) (purged memory.Holding, err error) {
	err = b.retried(ctx, func() error {
		w := memory.Write{Rows: []memory.RowChange{{Before: memory.ProjectRow{}}}}
		if key != "" {
			all, err := b.parts(ctx, key)
			if err != nil {
				return err
			}
			rows, err := b.projects(ctx, all...)
			if err != nil {
				return err
			}
			w.Rows = nil
			for _, part := range all {
				w.Rows = append(w.Rows, memory.RowChange{Before: rows[part]})
			}
			purged, err = b.holding(ctx, all...)
			if err != nil {
				return err
			}
		} else if purged, err = b.holding(ctx, ""); err != nil {
			return err
		}
		return b.store.Apply(ctx, w)
	})
	if err != nil {
		return purged, fmt.Errorf("purge project %q: %w", key, err)
	}
	return purged, nil
}

// projects are the rows of projects, or memory.ErrNotFound.
func (b *Book) projects(ctx context.Context, keys ...string) (map[string]memory.ProjectRow, error) {
	rows, err := b.store.Read(ctx, memory.Keys{Projects: keys})
	for _, key := range keys {
		if _, isThere := rows.Projects[key]; err == nil && !isThere {
			err = fmt.Errorf("project %s: %w", key, memory.ErrNotFound)
		}
	}
	return rows.Projects, err
}

// parts are the keys of a project and of those merged into it, its own first.
func (b *Book) parts(ctx context.Context, key string) ([]string, error) {
	projects, err := b.store.Projects(ctx)
	keys := []string{key}
	for _, one := range projects {
		if one.MergedInto == key {
			keys = append(keys, one.Key)
		}
	}
	return keys, err
}

// holding counts the rows of projects, or of all for "".
func (b *Book) holding(ctx context.Context, keys ...string) (total memory.Holding, err error) {
	for _, key := range keys {
		stats, err := b.store.Stats(ctx, key)
		if err != nil {
			return total, err
		}
		total.Memories += stats.Memories
		total.Sessions += stats.Sessions
		total.Prompts += stats.Prompts
	}
	return total, nil
}
