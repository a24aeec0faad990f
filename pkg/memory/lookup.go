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
