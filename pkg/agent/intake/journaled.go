package intake

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// record journals what the store has committed. The events are acknowledged only
// afterwards: if journaling fails they are ingested again, which changes nothing in the
// store.
func (in *Intake) record(events []memory.Event) error {
	if in.Journal == nil {
		return nil
	}
	records := make([]journal.Record, 0, len(events))
	for i := range events {
		records = append(records, journal.Record{Event: &events[i]})
	}
	if err := in.Journal.Append(records...); err != nil {
		return fmt.Errorf("%w: %d events are stored and could not be journaled: %w", memory.ErrUnavailable, len(events), err)
	}
	return nil
}

// ChangeStore is the store in which changes by hand are made.
type ChangeStore interface {
	Changes
	Aliases(ctx context.Context) (map[string]string, error)
}

// Journaled makes Changes that journal what people and models change by hand. Intake
// itself journals events, because it knows when they are acknowledged.
func Journaled(store ChangeStore, j *journal.Journal) Changes {
	if j == nil {
		return store
	}
	return &journaled{ChangeStore: store, journal: j}
}

type journaled struct {
	ChangeStore
	journal *journal.Journal
	// changing keeps the journal in the order of the commits.
	changing sync.Mutex
}

func (s *journaled) append(r journal.Record) error {
	if err := s.journal.Append(r); err != nil {
		return fmt.Errorf("%w: the change was made, and a rebuilt store would lack it: %w", memory.ErrUnavailable, err)
	}
	return nil
}

// Amend implements Changes.
func (s *journaled) Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	before, after, err = s.ChangeStore.Amend(ctx, id, c)
	if err != nil || reflect.DeepEqual(before, after) {
		return before, after, err
	}
	return before, after, s.append(journal.Record{Amended: &journal.Amended{Change: c, Before: before}})
}

// RenameProject implements Changes.
func (s *journaled) RenameProject(ctx context.Context, key, name string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if err := s.ChangeStore.RenameProject(ctx, key, name); err != nil {
		return err
	}
	return s.append(journal.Record{Renamed: &journal.Renamed{Project: key, Name: name}})
}

// MergeProjects implements Changes.
func (s *journaled) MergeProjects(ctx context.Context, from, into string) (memory.Holding, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	moved, err := s.ChangeStore.MergeProjects(ctx, from, into)
	if err != nil {
		return moved, err
	}
	return moved, s.append(journal.Record{Merged: &journal.Merged{From: from, Into: into}})
}

// PurgeProject implements Changes. The journal is purged first: if the agent is killed
// in between, the store still has the project, and purging it again finishes the work.
func (s *journaled) PurgeProject(ctx context.Context, key string) (memory.Holding, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	aliases, err := s.Aliases(ctx)
	if err != nil {
		return memory.Holding{}, err
	}
	isPurged := func(project string) bool { return project == key || aliases[project] == key }
	if _, err := s.journal.Remove(func(r journal.Record) bool { return concerns(r, isPurged) }); err != nil {
		return memory.Holding{}, fmt.Errorf("purge project %s: %w", key, err)
	}
	held, err := s.ChangeStore.PurgeProject(ctx, key)
	if err != nil {
		return held, err
	}
	return held, s.append(journal.Record{Purged: &journal.Purged{Project: key}})
}

// PurgeAll implements Changes.
func (s *journaled) PurgeAll(ctx context.Context) (memory.Holding, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if _, err := s.journal.Remove(func(journal.Record) bool { return true }); err != nil {
		return memory.Holding{}, fmt.Errorf("purge everything: %w", err)
	}
	held, err := s.ChangeStore.PurgeAll(ctx)
	if err != nil {
		return held, err
	}
	return held, s.append(journal.Record{Purged: &journal.Purged{}})
}

// concerns tells whether a record is about one of the projects.
func concerns(r journal.Record, isOne func(key string) bool) bool {
	switch {
	case r.Event != nil:
		return isOne(r.Event.Project.Key)
	case r.Amended != nil:
		return isOne(r.Amended.Before.Project)
	case r.Renamed != nil:
		return isOne(r.Renamed.Project)
	case r.Merged != nil:
		return isOne(r.Merged.Into)
	case r.Purged != nil:
		return isOne(r.Purged.Project)
	}
	return false
}
