package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxPrefixMatches limits the memories that match the beginning of an id. In a store of 60 million memories, the
// shortest allowed beginning (4 digits) matches about this many.
const MaxPrefixMatches = 1000

// Find returns the memory that has this id, or whose id begins with it; OnlyMatch decides between several matches. It looks in the given
// projects ("" has the user's own memories), or in all if none is given. It fails with ErrNotFound, with ErrInvalid if
// several ids match, or with the reader's error.
func Find(ctx context.Context, reader RowReader, id string, projects ...string) (Memory, error) {
	found, err := Memories(ctx, reader, IDPrefix(id))
	if err != nil {
		return Memory{}, err
	}
	return OnlyMatch(id, slices.DeleteFunc(found, func(m Memory) bool { return len(projects) > 0 && !slices.Contains(projects, m.Project) }))
}

// OnlyMatch returns the memory with exactly that id, or else the only match. Recallable memories win over others. Among them
// facts win, because a session's start shortens their ids. The error is ErrNotFound, or ErrInvalid if several match.
func OnlyMatch(id string, found []Memory) (Memory, error) {
	if at := slices.IndexFunc(found, func(m Memory) bool { return m.ID == id }); at >= 0 {
		return found[at], nil
	}
	if len(found) == 0 {
		return Memory{}, fmt.Errorf("there is no memory %.40q: %w", id, ErrNotFound)
	}
	for _, isNear := range []func(Memory) bool{Memory.IsRecallable, Memory.IsFact} {
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

type RecordReader interface {
	Records(ctx context.Context, q RecordQuery) ([]SessionRecord, error)
}

// RecordOf returns the record of one session, or ErrNotFound.
func RecordOf(ctx context.Context, reader RecordReader, session string) (SessionRecord, error) {
	records, err := reader.Records(ctx, RecordsOf{session})
	switch {
	case err != nil:
		return SessionRecord{}, err
	case len(records) == 0:
		return SessionRecord{}, fmt.Errorf("there is no session %s: %w", session, ErrNotFound)
	}
	return records[0], nil
}

// Injections returns the injections that a query selects.
func Injections(ctx context.Context, reader RecordReader, q InjectedInto) (injected []Injection, err error) {
	records, err := reader.Records(ctx, q)
	for _, record := range records {
		injected = append(injected, record.Injected...)
	}
	return injected, err
}

type RunReader interface {
	Runs(ctx context.Context, q RunQuery) ([]Run, error)
}

// RunOf returns the run that has this id, or whose id begins with it, with its actions. The error is ErrNotFound, or
// ErrInvalid if several ids match.
func RunOf(ctx context.Context, reader RunReader, id string) (Run, error) {
	runs, err := reader.Runs(ctx, RunQuery{ID: id})
	switch {
	case err != nil:
		return Run{}, err
	case len(runs) == 0:
		return Run{}, fmt.Errorf("there is no run %s: %w; memory daemon runs lists the runs", id, ErrNotFound)
	case len(runs) > 1:
		return Run{}, fmt.Errorf("several runs begin with %s, give more of the id: %w", id, ErrInvalid)
	}
	return runs[0], nil
}

type SessionLister interface {
	Sessions(ctx context.Context, q SessionQuery) ([]Session, error)
}

// mostSearched limits the sessions that are searched for the beginning of an id.
const mostSearched = 100_000

// SessionsNamed returns the sessions of a project (all for "") whose ids begin with the given text, the newest first. An
// empty beginning matches none.
func SessionsNamed(ctx context.Context, from SessionLister, project, beginning string) ([]Session, error) {
	if beginning == "" {
		return nil, nil
	}
	all, err := from.Sessions(ctx, LastSessions{Project: project, Limit: mostSearched, Counted: true})
	return slices.DeleteFunc(all, func(s Session) bool { return !strings.HasPrefix(s.ID, beginning) }), err
}

// SessionNamed returns the session of a project (of any for "") whose id is id or begins with it. It fails with
// ErrNotFound, with ErrInvalid if several match, or with the lister's error.
func SessionNamed(ctx context.Context, from SessionLister, project, id string) (Session, error) {
	found, err := SessionsNamed(ctx, from, project, id)
	if at := slices.IndexFunc(found, func(s Session) bool { return s.ID == id }); at >= 0 {
		return found[at], err
	}
	switch {
	case err != nil:
		return Session{}, err
	case len(found) == 0:
		return Session{}, fmt.Errorf("there is no session %.60q: %w; memory sessions lists the sessions", id, ErrNotFound)
	case len(found) > 1:
		return Session{}, fmt.Errorf("several sessions begin with %s: give more of the id: %w", id, ErrInvalid)
	}
	return found[0], nil
}

// KeyReader reads rows by their keys. Keys without a row are left out.
type KeyReader interface {
	Read(ctx context.Context, k Keys) (Rows, error)
}

// StateOf returns the progress of a job; only its name if it never ran.
func StateOf(ctx context.Context, reader KeyReader, job string) (JobState, error) {
	rows, err := reader.Read(ctx, Keys{Jobs: []string{job}})
	state := rows.Jobs[job]
	state.Job = job
	return state, err
}

// AliasesOf maps the keys of merged projects to the keys of the projects that they became part of.
func AliasesOf(projects []ProjectHolding) map[string]string {
	aliases := map[string]string{}
	for _, one := range projects {
		if one.MergedInto != "" {
			aliases[one.Key] = one.MergedInto
		}
	}
	return aliases
}

// Holding counts the rows of a project.
type Holding struct {
	Memories int `json:"memories"`
	Sessions int `json:"sessions"`
	Prompts  int `json:"prompts"`
}

type ProjectHolding struct {
	Project
	// MergedInto is the key of the project that this one was merged into.
	MergedInto string  `json:"merged_into,omitempty"`
	Holding    Holding `json:"holding" column:"-"`
	// CountedAt is the time of the count; zero if it was not ready in time.
	CountedAt time.Time `json:"counted_at,omitzero" column:"-"`
}

// MergedInto returns the keys of those projects that were merged into the project key.
func MergedInto(key string, projects []ProjectHolding) []string {
	return EachIf(projects, func(one ProjectHolding) (string, bool) { return one.Key, one.MergedInto == key })
}

type History struct {
	Seen     []Sighting     `json:"seen"`
	Injected []Injection    `json:"injected"`
	Changes  []ChangeRecord `json:"changes"`
}

type ChangeRecord struct {
	Run    string    `json:"run" column:"run_id"`
	Job    string    `json:"job"`
	By     string    `json:"by"` // the run's trigger
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}
