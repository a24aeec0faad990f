package intake

import (
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// busy is which events are just being stored.
type busy struct {
	claiming sync.RWMutex // held while events are taken from a spool; guards events
	events   []memory.Event
}

// stored returns the events that are being stored. It waits while some are taken from a
// spool.
func (b *busy) stored() []memory.Event {
	b.claiming.RLock()
	defer b.claiming.RUnlock()
	return b.events
}

// claim notes the events that take returns as being stored from now on.
func (b *busy) claim(take func() []memory.Event) {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = take()
}
