package book

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store reads and writes the rows of a book. Package storetest describes each method.
type Store interface {
	Apply(ctx context.Context, w memory.Write) error
	memory.KeyReader
	memory.RecordReader
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)
	memory.TotalsReader
}

// Book changes a store: it reads the rows that a change depends on, builds the write, and builds it again
// if these rows have changed meanwhile. Its methods are safe for concurrent use.
type Book struct {
	store Store
	// making holds one token for all writes of this process, so that only another program's write can overtake a write.
	making chan struct{}
}

func New(store Store) *Book { return &Book{store, make(chan struct{}, 1)} }

// maxAttempts is how often a write is built and applied before it fails, if other writes keep changing its rows. Before each attempt after
// the second it waits a random time, at most the number of attempts times longestPause: two daemons that write without a pause
// overtake each other again and again.
const (
	maxAttempts  = 10
	longestPause = 2 * time.Millisecond
)

// errRace means that the rows of a change were changed by others at each attempt; the same change may work later.
var errRace = memory.Mark(errors.New("other programs keep changing the same rows: try again"), memory.ErrUnavailable)

// retried builds and applies a write until no other write overtakes it. After maxAttempts attempts it fails.
func (b *Book) retried(ctx context.Context, write func() error) error {
	select {
	case b.making <- struct{}{}:
		defer func() { <-b.making }()
	case <-ctx.Done():
		return fmt.Errorf("another change of the store did not end in time: %w", ctx.Err())
	}
	for n := range maxAttempts {
		if n > 1 {
			_ = memory.Sleep(ctx, rand.N(time.Duration(n)*longestPause))
		}
		err := write()
		if errors.Is(err, memory.ErrWritten) { // the answer to the first attempt was lost
			return nil
		}
		if !errors.Is(err, memory.ErrConflict) {
			return err
		}
	}
	return errRace
}

// apply applies a write. It sets the store's clock (see clock) forward to the latest of known and the times of the write's runs and sightings.
func (b *Book) apply(ctx context.Context, w memory.Write, known time.Time) error {
	for _, c := range w.Rows {
		var at time.Time
		switch row := c.After.(type) {
		case memory.Run:
			at = row.StartedAt
		case memory.Sighting:
			at = row.At
		}
		known = latest(known, at)
	}
	if w.Job == nil && !known.IsZero() {
		w.Job = &memory.JobState{Job: clock, Slot: known}
	}
	return b.store.Apply(ctx, w)
}

// Amend changes one memory and records the change as a run of its own, in one transaction. It returns the memory before and
// after. If the change gives it another id, the old memory is archived, and its SupersededBy names the new one. An empty
// change is not recorded, and a repeated change has no effect. The error is memory.ErrNotFound, or memory.ErrInvalid if the
// memory does not allow the change.
func (b *Book) Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	err = b.retried(ctx, func() error {
		rows, err := b.store.Read(ctx, memory.Keys{Memories: []string{id}, Jobs: []string{clock}})
		if err != nil {
			return err
		}
		row, isThere := rows.Memories[id]
		if !isThere {
			return memory.ErrNotFound
		}
		before = row.Memory
		if after, err = c.Apply(before); err != nil {
			return err
		}
		at := dated(c.At, rows)
		if c.Status == memory.StatusActive && row.SupersededBy != "" && before.IsRecallable() { // it is to hold again, above what had superseded it
			after.LastSeenAt = at
		}
		if after.ID != id {
			if rows, err = b.store.Read(ctx, memory.Keys{Memories: []string{after.ID}}); err != nil {
				return err
			}
		}
		var w memory.Write
		if w, after = changeWrite(row, after, rows.Memories, c, at); len(w.Rows) > 0 {
			if err = release(ctx, b.store, &w); err == nil {
				err = b.apply(ctx, w, at)
			}
		}
		if errors.Is(err, memory.ErrWritten) {
			after = before
		}
		return err
	})
	if err != nil && !errors.Is(err, memory.ErrInvalid) { // the error of an invalid change needs no prefix
		err = fmt.Errorf("change memory %s: %w", id, err)
	}
	return before, after, err
}

// Commit records a step of a maintenance run and applies its actions in one transaction. A second commit of the same run updates
// its counts. It returns the ids of the memories whose actions StepWrite leaves out: these are neither applied nor recorded. The
// error is memory.ErrLeaseLost if the lease is no longer held.
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
		if err := release(ctx, b.store, &w); err != nil {
			return err
		}
		return b.apply(ctx, w, time.Time{})
	})
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", c.Subject(), err)
	}
	return skipped, nil
}

// Replay applies a write of another store, such as a journal's: each row gets the state that it had there, whatever
// its state here is.
func (b *Book) Replay(ctx context.Context, w memory.Write) error {
	var keys memory.Keys
	for _, c := range w.Rows {
		keys.Add(c.Row())
	}
	return b.retried(ctx, func() error {
		rows, err := b.store.Read(ctx, keys)
		if err == nil {
			if w := replayed(w, rows); len(w.Rows) > 0 {
				err = b.apply(ctx, w, time.Time{})
			}
		}
		return err
	})
}

// MergeProjects moves everything of the project from to the project into, in one transaction. Ids stay. It sets
// MergedInto of from, and of the projects that were merged into from. Repeating it moves the rows that were added
// since. The error is memory.ErrNotFound if a project is missing, and memory.ErrInvalid if into is part of from.
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
			return fmt.Errorf("project %s cannot be merged into %s: they are one project already: %w", from, into, memory.ErrInvalid)
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

// Purge deletes for good all rows of a project and of the projects merged into it, including the records of changes;
// for "" it deletes all rows, so that only the schema stays. Memories of a project that were promoted to the user
// stay. It may be repeated after an interruption. The error is memory.ErrNotFound if there is no such project.
func (b *Book) Purge(ctx context.Context, key string) (purged memory.Holding, err error) {
	err = b.retried(ctx, func() error {
		keys, rows := []string{""}, map[string]memory.ProjectRow{}
		if key != "" {
			if keys, err = b.parts(ctx, key); err == nil {
				rows, err = b.projects(ctx, keys...)
			}
			if err != nil {
				return err
			}
		}
		w := memory.Write{Rows: memory.Each(keys, func(one string) memory.RowChange { return memory.RowChange{Before: rows[one]} })}
		if purged, err = b.holding(ctx, keys...); err != nil {
			return err
		}
		return b.store.Apply(ctx, w)
	})
	if err != nil {
		return purged, fmt.Errorf("purge project %q: %w", key, err)
	}
	return purged, nil
}

// projects returns the rows of the projects with these keys. The error is memory.ErrNotFound if one is missing.
func (b *Book) projects(ctx context.Context, keys ...string) (map[string]memory.ProjectRow, error) {
	rows, err := b.store.Read(ctx, memory.Keys{Projects: keys})
	for _, key := range keys {
		if _, isThere := rows.Projects[key]; err == nil && !isThere {
			err = fmt.Errorf("there is no project %s: %w", key, memory.ErrNotFound)
		}
	}
	return rows.Projects, err
}

// parts returns the keys of a project and of the projects merged into it, its own first.
func (b *Book) parts(ctx context.Context, key string) ([]string, error) {
	projects, err := b.store.Projects(ctx)
	return append([]string{key}, memory.MergedInto(key, projects)...), err
}

// holding adds up the counts of projects; the key "" counts the whole store.
func (b *Book) holding(ctx context.Context, keys ...string) (total memory.Holding, err error) {
	for _, key := range keys {
		totals, err := b.store.Totals(ctx, memory.Counts(key))
		if err != nil {
			return total, err
		}
		total.Memories += totals.Memories
		total.Sessions += totals.Sessions
		total.Prompts += totals.Prompts
	}
	return total, nil
}

// replayed adapts a write from another store's journal to this store: the Before of each change becomes the row as it is here. It leaves out rows that are deleted
// or in their new state already. Rows of types that Store.Read cannot return keep the Before of the other store, which is not compared.
func replayed(w memory.Write, rows memory.Rows) memory.Write {
	var again memory.Write
	for _, c := range w.Rows {
		stored, isRead := rows.Stored(c.Row())
		if row, isRow := c.After.(memory.Row); isRow && row.Memory.Content == "" { // the row here has its text
			was, isThere := stored.(memory.Row)
			if !isThere {
				continue
			}
			reason := row.Memory.Detail
			row.Memory.Content, row.Memory.Detail = was.Memory.Content, reason+strings.TrimPrefix(was.Memory.Detail, reason)
			c.After = row
		}
		_, isMemory := c.Before.(memory.Row) // a memory's deletion is not repeated; a project's is, because it may have left memories
		switch {
		case stored != nil && reflect.DeepEqual(stored, c.After):
			if p, isProject := stored.(memory.ProjectRow); !isProject || p.MergedInto == "" {
				continue
			}
			c.Before = stored
		case stored != nil:
			c.Before = stored
		case c.After == nil && isMemory:
			continue
		case c.After != nil && isRead:
			c.Before = nil
		}
		if row, isRow := c.After.(memory.Row); isRow && c.Before != nil {
			was := c.Before.(memory.Row)
			row.Cursor = was.Cursor
			c.After = row
		}
		again.Rows = append(again.Rows, c)
	}
	return again
}

// release looks for memories that the write makes inactive without a successor. The user's words that such a memory had superseded hold again,
// unless the memory is the user's own word. If the user took the memory back, everything that it had superseded holds again. The write's run
// records this before its other actions, so that an undo reverts it last.
func release(ctx context.Context, store memory.KeyReader, w *memory.Write) error {
	var gone []string
	at, takenBack, run := map[string]int{}, map[string]bool{}, -1
	for i, c := range w.Rows {
		switch is := c.After.(type) {
		case memory.Run:
			run = i
		case memory.Row:
			at[is.Memory.ID], takenBack[is.Memory.ID] = i, is.Memory.IsTakenBack()
			was, _ := c.Before.(memory.Row)
			if was.Memory.IsRecallable() && !is.Memory.IsRecallable() && is.SupersededBy+is.MergedInto == "" && (!is.Memory.IsUsersWord() || is.Memory.IsTakenBack()) {
				gone = append(gone, is.Memory.ID)
			}
		}
	}
	for passed := map[string]bool{}; len(gone) > 0; {
		rows, err := store.Read(ctx, memory.Keys{Replaced: gone})
		if err != nil {
			return err
		}
		gone = nil
		for id, row := range rows.Memories {
			i, isIn := at[id]
			if isIn {
				row = w.Rows[i].After.(memory.Row)
			}
			switch next := row; {
			case passed[id] || row.SupersededBy+row.MergedInto == "":
			case !row.Memory.IsRecallable() || !row.IsUsers() && !takenBack[row.SupersededBy]: // what it had superseded in its turn
				gone = append(gone, id)
			default:
				if next.SupersededBy = ""; isIn {
					w.Rows[i].After = next
				} else {
					w.Rows = append(w.Rows, memory.RowChange{Before: row, After: next})
				}
				a := recorded(row.Becomes(next.State(), memory.ActionAmend, "what had superseded it is not active any more"))
				its := w.Rows[run].After.(memory.Run)
				a.ID, its.Actions = its.ID+"--"+id, slices.Clone(its.Actions)
				its.Actions = slices.Insert(its.Actions, 0, a)
				w.Rows[run].After = its
			}
			passed[id] = true
		}
	}
	return nil
}
