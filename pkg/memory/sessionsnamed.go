package memory

import (
	"context"
	"slices"
	"strings"
)

// SessionLister lists the sessions of a project, or of all projects if the key is empty,
// the newest first.
type SessionLister interface {
	Sessions(ctx context.Context, project string, limit int) ([]Session, error)
}

// mostSearched bounds the sessions among which the beginning of an id is looked for.
const mostSearched = 100_000

// SessionsNamed are the sessions whose ids begin so, the newest first. None is named by
// the empty beginning.
func SessionsNamed(ctx context.Context, from SessionLister, project, beginning string) ([]Session, error) {
	if beginning == "" {
		return nil, nil
	}
	all, err := from.Sessions(ctx, project, mostSearched)
	return slices.DeleteFunc(all, func(s Session) bool { return !strings.HasPrefix(s.ID, beginning) }), err
}
