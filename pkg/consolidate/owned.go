package consolidate

import (
	"context"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Owned is a store without the rows that are not for the maintenance of a person: in a store that several share everybody's
// agent maintains the rows that are the person's alone, and an agent with the store's own credentials those that are shared. So no
// run reads a private row that is another's, and none moves one into a shared place or a shared one out of it.
func Owned(store Store, person func() memory.Person) Store { return owned{store, person} }

type owned struct {
	Store
	person func() memory.Person
}

// isOurs tells whether a project's rows are ours, as far as the project says.
func (s owned) isOurs(project string) bool {
	return project == "" || memory.PrivateTo(project) == s.person().Name
}

func (s owned) isOther(r memory.Row) bool {
	return !s.isOurs(r.Memory.Project) || r.Memory.Project == "" && r.Memory.Owner != s.person().Name
}

func (s owned) ours(rows []memory.Row, err error) ([]memory.Row, error) {
	return slices.DeleteFunc(rows, s.isOther), err
}

func (s owned) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	page, err := s.Store.Changed(ctx, q)
	page.Rows, err = s.ours(page.Rows, err)
	return page, err
}

func (s owned) Scan(ctx context.Context, q memory.ScanQuery) (memory.ScanPage, error) {
	page, err := s.Store.Scan(ctx, q)
	page.Rows, err = s.ours(page.Rows, err)
	return page, err
}

func (s owned) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	rows, err := s.Store.Rows(ctx, q)
	switch {
	case len(q.Due) > 1: // they say which projects have something due
		rows = slices.DeleteFunc(rows, func(r memory.Row) bool { return !s.isOurs(r.Memory.Project) })
	case q.Due != nil || q.Status != "":
		rows = slices.DeleteFunc(rows, s.isOther)
	}
	return rows, err
}

func (s owned) ChangedProjects(ctx context.Context, after memory.ChangeCursor) (map[string]memory.ProjectChanges, memory.ChangeCursor, error) {
	changes, cursor, err := s.Store.ChangedProjects(ctx, after)
	maps.DeleteFunc(changes, func(project string, _ memory.ProjectChanges) bool { return !s.isOurs(project) })
	return changes, cursor, err
}
