package intake

import (
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// busy has the events that are being stored.
type busy struct {
	claiming sync.RWMutex // guards events, and the spool's events against being claimed
	events   []memory.Event
}

// with calls look with the events that are being stored. Until it returns no other events are claimed, so an event that it
// does not find in the spool is in the store or among these.
func (b *busy) with(look func(stored []memory.Event)) {
	b.claiming.RLock()
	defer b.claiming.RUnlock()
	look(b.events)
}

// claim calls take, and replaces the events by the claimed ones that it returns.
func (b *busy) claim(take func() []memory.Event) {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = take()
}
