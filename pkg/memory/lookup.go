package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Reader finds single memories.
type Reader interface {
	Memory(ctx context.Context, id string) (Memory, error)
}

// Visible returns the memory whose id is, or begins with, the given one, if it is of the
// project or of the user. Otherwise it is ErrNotFound, or ErrInvalid if several ids begin
// so.
func Visible(ctx context.Context, reader Reader, project, id string) (Memory, error) {
	m, err := reader.Memory(ctx, id)
	if err == nil && PublicKey(m.Project) != PublicKey(project) && m.Project != "" {
		err = fmt.Errorf("memory %s of this project: %w", id, ErrNotFound)
	}
	return m, err
}

// Only is the memory with an id among those whose ids begin so, or else the only one. The error is ErrNotFound, or
// ErrInvalid if there are several.
func Only(id string, found []Memory) (Memory, error) {
	at := slices.IndexFunc(found, func(m Memory) bool { return m.ID == id })
	switch {
	case at >= 0:
		return found[at], nil
	case len(found) == 0:
		return Memory{}, fmt.Errorf("memory %.40q: %w", id, ErrNotFound)
	case len(found) > 1:
		return Memory{}, fmt.Errorf("several ids begin with %s, give more digits: %w", id, ErrInvalid)
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
	all, err := from.Sessions(ctx, SessionQuery{Project: project, Limit: mostSearched, Counted: true})
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
