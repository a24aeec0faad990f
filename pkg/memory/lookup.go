package memory

import (
	"context"
	"fmt"
)

// Reader finds single memories.
type Reader interface {
	ExpandID(ctx context.Context, beginning string) (string, error)
	Memory(ctx context.Context, id string) (Memory, error)
}

// Visible returns the memory whose id is, or begins with, the given one, if it is of the
// project or of the user. Otherwise it is ErrNotFound, or ErrInvalid if several ids begin
// so.
func Visible(ctx context.Context, reader Reader, project, id string) (Memory, error) {
	full, err := reader.ExpandID(ctx, id)
	if err != nil {
		return Memory{}, err
	}
	m, err := reader.Memory(ctx, full)
	if err == nil && PublicKey(m.Project) != PublicKey(project) && m.Project != "" {
		err = fmt.Errorf("memory %s of this project: %w", id, ErrNotFound)
	}
	return m, err
}

// ResolveProject replaces the project's key by resolve's result: the key of a merged
// project becomes the key of the project that it is part of.
func (f *Filter) ResolveProject(resolve func(string) string) { f.Project = resolve(f.Project) }

// ResolveProject replaces the key of the project that is asked for.
func (q *ExportQuery) ResolveProject(resolve func(string) string) { q.Project = resolve(q.Project) }
