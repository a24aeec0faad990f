package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// MostBeginning bounds the memories whose ids begin alike: the fewest digits of an id give
// as many in a store of 60 million.
const MostBeginning = 1000

// Visible returns the memory whose id is, or begins with, the given one, of those of the
// project and of the user. Otherwise it is ErrNotFound, or ErrInvalid if several ids begin
// so.
func Visible(ctx context.Context, reader RowReader, project, id string) (Memory, error) {
	found, err := Memories(ctx, reader, Beginning(id))
	if err != nil {
		return Memory{}, err
	}
	return Only(id, slices.DeleteFunc(found, func(m Memory) bool {
		return m.Project != project && m.Project != ""
	}))
}

// Find returns the memory of all projects whose id is, or begins with, the given one; see Only.
func Find(ctx context.Context, reader RowReader, id string) (Memory, error) {
	found, err := Memories(ctx, reader, Beginning(id))
	if err != nil {
		return Memory{}, err
	}
	return Only(id, found)
}

// Only is the memory with an id among those whose ids begin so, or else the only one: of
// facts, among which a session's start shortens ids, or else of those that recall may return,
// or else of all. The error is ErrNotFound, or ErrInvalid if there are several.
func Only(id string, found []Memory) (Memory, error) {
	if at := slices.IndexFunc(found, func(m Memory) bool { return m.ID == id }); at >= 0 {
		return found[at], nil
	}
	if len(found) == 0 {
		return Memory{}, fmt.Errorf("memory %.40q: %w", id, ErrNotFound)
	}
	for _, isNear := range []func(Memory) bool{Memory.Recallable, Memory.IsFact} {
		if near := slices.DeleteFunc(slices.Clone(found), func(m Memory) bool { return !isNear(m) }); len(near) > 0 {
			found = near
		}
	}
	if len(found) > 1 {
		return Memory{}, fmt.Errorf("several ids begin with %s, such as %s and %s: give more digits: %w",
			id, ShortID(found[0].ID), ShortID(found[1].ID), ErrInvalid)
	}
	return found[0], nil
}

// RecordReader reads the records of those of the sessions that are there, in the order of the ids.
type RecordReader interface {
	SessionRecords(ctx context.Context, ids []string) ([]SessionRecord, error)
}

// RecordOf returns the record of one session, or ErrNotFound.
func RecordOf(ctx context.Context, reader RecordReader, session string) (SessionRecord, error) {
	records, err := reader.SessionRecords(ctx, []string{session})
	switch {
	case err != nil:
		return SessionRecord{}, err
	case len(records) == 0:
		return SessionRecord{}, fmt.Errorf("read session %s: %w", session, ErrNotFound)
	}
	return records[0], nil
}

// RunReader reads maintenance runs.
type RunReader interface {
	Runs(ctx context.Context, q RunQuery) ([]Run, error)
}

// RunOf returns the run whose id is, or begins with, the given one, with its actions. The error is ErrNotFound, or
// ErrInvalid if several ids begin so.
func RunOf(ctx context.Context, reader RunReader, id string) (Run, error) {
	runs, err := reader.Runs(ctx, RunQuery{ID: id})
	switch {
	case err != nil:
		return Run{}, err
	case len(runs) == 0:
		return Run{}, fmt.Errorf("run %s: %w", id, ErrNotFound)
	case len(runs) > 1:
		return Run{}, fmt.Errorf("several runs begin with %s, give more of the id: %w", id, ErrInvalid)
	}
	return runs[0], nil
}

// SessionLister lists sessions.
type SessionLister interface {
	Sessions(ctx context.Context, q SessionQuery) ([]Session, error)
}

// mostSearched bounds the sessions among which the beginning of an id is looked for.
const mostSearched = 100_000

// SessionsNamed are the sessions of a project (all for "") whose ids begin so, the newest first. None is named by the
// empty beginning.
func SessionsNamed(ctx context.Context, from SessionLister, project, beginning string) ([]Session, error) {
	if beginning == "" {
		return nil, nil
	}
	all, err := from.Sessions(ctx, LastSessions{Project: project, Limit: mostSearched, Counted: true})
	return slices.DeleteFunc(all, func(s Session) bool { return !strings.HasPrefix(s.ID, beginning) }), err
}

// AliasesOf maps the keys of merged projects to the key that is meant.
func AliasesOf(projects []ProjectHolding) map[string]string {
	aliases := map[string]string{}
	for _, one := range projects {
		if one.MergedInto != "" {
			aliases[one.Key] = one.MergedInto
		}
	}
	return aliases
}
