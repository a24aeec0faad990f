package memory

import (
	"context"
	"time"
)

// Administrator is what people steer a store by: lists of sessions and projects,
// merging and renaming of projects, and purging.
type Administrator interface {
	// Sessions lists the sessions of a project, or of all projects if the key is
	// empty, with their prompt counts, the newest first.
	Sessions(ctx context.Context, project string, limit int) ([]Session, error)
	// Projects lists every project with what it holds, the last seen first. One
	// that was merged into another holds nothing.
	Projects(ctx context.Context) ([]ProjectHolding, error)
	// RenameProject gives a project the name that people see; an empty one takes
	// that back. ErrNotFound if there is no such project.
	RenameProject(ctx context.Context, key, name string) error
	// MergeProjects moves everything of one project to another, in one
	// transaction. Ids stay. From then on Aliases has the first key, and what was
	// merged into it, for the second. Doing it again moves what has come since.
	// ErrNotFound if one of them is not there, ErrInvalid if the second is part of
	// the first.
	MergeProjects(ctx context.Context, from, into string) (Holding, error)
	// Aliases maps the keys of merged projects to the key that is meant.
	Aliases(ctx context.Context) (map[string]string, error)
	// PurgeProject deletes for good what is of a project and of those merged into
	// it, the record of changes included. What has become the user's stays. It may
	// be done again where it was interrupted. ErrNotFound if there is no such
	// project.
	PurgeProject(ctx context.Context, key string) (Holding, error)
	// PurgeAll deletes every row for good; the schema stays.
	PurgeAll(ctx context.Context) (Holding, error)
	// History returns what happened to a memory, in order; nothing if it is not
	// there.
	History(ctx context.Context, id string) (History, error)
}

// Holding counts what a project holds.
type Holding struct {
	Memories int `json:"memories"`
	Sessions int `json:"sessions"`
	Prompts  int `json:"prompts"`
	Files    int `json:"files"`
}

// ProjectHolding is a project with what it holds.
type ProjectHolding struct {
	Project
	// MergedInto is the key of the project that this one has become part of.
	MergedInto string  `json:"merged_into,omitempty"`
	Holding    Holding `json:"holding"`
}

// History is what happened to a memory.
type History struct {
	Seen     []Sighting     `json:"seen"`
	Injected []Injection    `json:"injected"`
	Changes  []ChangeRecord `json:"changes"`
}

// ChangeRecord is one change of a memory by a maintenance run.
type ChangeRecord struct {
	Run    string    `json:"run"`
	Job    string    `json:"job"`
	By     string    `json:"by"` // the run's trigger
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}
