package intake

import (
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// busy has the events that are being stored.
type busy struct {
	claiming sync.RWMutex // held while events are claimed; guards events
	events   []memory.Event
}

// now returns the events that are being stored. It waits for a claim that is being made.
func (b *busy) now() []memory.Event {
	b.claiming.RLock()
	defer b.claiming.RUnlock()
	return b.events
}

// claim calls take, and replaces the events by the claimed ones that it returns.
func (b *busy) claim(take func() []memory.Event) {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = take()
}

// end removes all events.
func (b *busy) end() {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = nil
}
