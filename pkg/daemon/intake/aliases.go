package intake

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/places"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// aliasAge is the maximum age of the cached aliases. Another daemon on the same store may merge projects, too.
const aliasAge = time.Minute

// AliasReader reads the projects, each with the project that it was merged into.
type AliasReader interface {
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)
}

// Aliases maps the key of each merged project to the key of its whole, the project that it was merged into. Resolve never waits.
type Aliases struct {
	// Places knows the folders of projects, whose keys may have changed.
	Places *places.Places

	store AliasReader
	now   func() time.Time

	known atomic.Pointer[projects]

	mu sync.Mutex
	at time.Time // when the projects were last read
}

type projects struct {
	wholes   map[string]string // keys of wholes, by the keys of the projects that were merged into them
	isStored map[string]bool   // keys of projects with rows
}

// NewAliases returns an Aliases that maps each key to itself until Learn is called.
func NewAliases(store AliasReader, seen *places.Places, now func() time.Time) *Aliases {
	x := &Aliases{Places: seen, store: store, now: now}
	x.known.Store(&projects{})
	seen.IsStored = func(key string) bool { return x.known.Load().isStored[key] }
	return x
}

// setStored records that a project has rows. Then Places never merges it into another, because these rows would keep their key.
func (x *Aliases) setStored(key string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if known := x.known.Load(); !known.isStored[key] {
		stored := map[string]bool{key: true}
		maps.Copy(stored, known.isStored)
		x.known.Store(&projects{known.wholes, stored})
	}
}

// Resolve returns the key of the project that a key stands for.
func (x *Aliases) Resolve(key string) string {
	key = x.Places.Resolve(key)
	return cmp.Or(x.known.Load().wholes[key], key)
}

// Of returns the key of the project to which an event belongs. For an imported event it ignores the folder.
func (x *Aliases) Of(e memory.Event) string {
	if e.Kind == memory.EventImported {
		return x.Resolve(e.Project.Key)
	}
	return x.Resolve(x.Places.Here(e.Project.Key, e.Project.Root, e.At))
}

// placed lets Places look at the folders of events, and returns the events with the projects to which they then belong.
func (x *Aliases) placed(events []memory.Event) []memory.Event {
	events = slices.Clone(events)
	for i, e := range events {
		if e.Kind == memory.EventImported || e.Project.Root == "" {
			continue
		}
		x.Places.Record(context.Background(), e.Project.Key, e.Project.Root)
		if key := x.Places.Here(e.Project.Key, e.Project.Root, e.At); key != e.Project.Key {
			events[i].Project.Key, events[i].Project.Name = key, path.Base(key)
		}
	}
	return events
}

// Learn reads the aliases unless the cached ones are recent enough, and reports whether they changed.
func (x *Aliases) Learn(ctx context.Context) (changed bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.now()
	if now.Sub(x.at) < aliasAge {
		return false, nil
	}
	all, err := x.store.Projects(ctx)
	if err != nil {
		return false, err
	}
	read := &projects{memory.AliasesOf(all), map[string]bool{}}
	for _, one := range all {
		read.isStored[one.Key] = true
	}
	x.at = now
	return !maps.Equal(x.known.Swap(read).wholes, read.wholes), nil
}

// Expire makes the next Learn read the aliases again.
func (x *Aliases) Expire() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.at = time.Time{}
}

// withoutOff removes the events that happened while memory was off in their project, although the hook did not know this.
func (x *Aliases) withoutOff(events []memory.Event) []memory.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e memory.Event) bool {
		x.Places.Record(context.Background(), e.Project.Key, e.Project.Root)
		return x.Places.WasOff(e.Project.Key, e.Project.Root, e.At, e.Held)
	})
}

// Rekey replaces the key of a merged project in the rows of a batch. A memory keeps the id that was made with the old key, so that the same event captured
// again gives the same memory. The row of the merged project keeps its key, because it records where the memory was seen.
func (x *Aliases) Rekey(b *memory.Batch) {
	for _, one := range b.Projects {
		x.Places.Record(context.Background(), one.Key, one.Root)
		x.Places.RecordAddresses(one.Key, one.Parts)
		x.setStored(one.Key)
	}
	for i := range b.Sessions {
		b.Sessions[i].Project = x.Resolve(b.Sessions[i].Project)
	}
	for i := range b.Prompts {
		b.Prompts[i].Project = x.Resolve(b.Prompts[i].Project)
	}
	for i := range b.Memories {
		b.Memories[i].Project = x.Resolve(b.Memories[i].Project)
	}
	for i := range b.Days {
		b.Days[i].Project = x.Resolve(b.Days[i].Project)
	}
}
