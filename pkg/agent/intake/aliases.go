package intake

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// aliasAge is how old the cached aliases may be: another agent of the same remote store
// may merge projects, too.
const aliasAge = time.Minute

// AliasReader reads the projects, of which some are parts of others.
type AliasReader interface {
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)
}

// Aliases caches which project a key means: the key of a merged project means the one
// it is part of. Resolve never waits.
type Aliases struct {
	store AliasReader
	now   func() time.Time

	known atomic.Pointer[map[string]string]

	mu sync.Mutex
	at time.Time // when they were read
}

// NewAliases makes an Aliases that resolves each key to itself until Learn is called.
func NewAliases(store AliasReader, now func() time.Time) *Aliases {
	return &Aliases{store: store, now: now}
}

// Resolve returns the key of the project that is meant.
func (x *Aliases) Resolve(key string) string {
	if known := x.known.Load(); known != nil {
		if meant, ok := (*known)[key]; ok {
			return meant
		}
	}
	return key
}

// Learn reads the aliases unless the cached ones are recent enough. It reports whether they changed.
func (x *Aliases) Learn(ctx context.Context) (changed bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.now()
	if x.known.Load() != nil && now.Sub(x.at) < aliasAge {
		return false, nil
	}
	projects, err := x.store.Projects(ctx)
	if err != nil {
		return false, err
	}
	read := memory.AliasesOf(projects)
	before := x.known.Swap(&read)
	x.at = now
	return before != nil && !maps.Equal(*before, read), nil
}

// Expire makes the next Learn read them in any case.
func (x *Aliases) Expire() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.at = time.Time{}
}

// Adopt gives events captured under the key of a merged project to the project that it is part of. A
// memory keeps the id that it has under its own key, so that the same event captured again is
// the same memory. The row of the merged project stays its own: it records where the memory was
// seen.
func (x *Aliases) Adopt(b *memory.Batch) {
	for i := range b.Sessions {
		b.Sessions[i].Project = x.Resolve(b.Sessions[i].Project)
	}
	for i := range b.Prompts {
		b.Prompts[i].Project = x.Resolve(b.Prompts[i].Project)
	}
	for i := range b.Memories {
		b.Memories[i].Project = x.Resolve(b.Memories[i].Project)
	}
	for i := range b.Files {
		b.Files[i].Project = x.Resolve(b.Files[i].Project)
	}
	for i := range b.Days {
		b.Days[i].Project = x.Resolve(b.Days[i].Project)
	}
}
