package intake

import (
	"slices"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// busy is which events are just being stored, or are taken to be stored next.
type busy struct {
	claiming sync.RWMutex // held while events are taken from a spool; guards events
	events   []memory.Event
}

// now returns the events that are being stored. It waits while some are taken from a
// spool.
func (b *busy) now() []memory.Event {
	b.claiming.RLock()
	defer b.claiming.RUnlock()
	return b.events
}

// claim notes the events that take returns as being stored from now on, too.
func (b *busy) claim(take func() []memory.Event) {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = slices.Concat(b.events, take())
}

// stored notes that the first n events are in the store.
func (b *busy) stored(n int) {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = b.events[n:]
}

// end notes that no events are being stored.
func (b *busy) end() {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = nil
}

// acks acknowledges events of a spool, while the next batch is stored: deleting a file
// that was synced takes some 0.1 ms.
type acks struct {
	spool *spool.Spool
	last  chan error // gives the outcome of the last; nil: none are under way
}

// add acknowledges events when those before have been. The error is of those before.
func (a *acks) add(names []string) error {
	err := a.wait()
	done := make(chan error, 1)
	go func() { done <- a.spool.Ack(names...) }()
	a.last = done
	return err
}

// wait waits until all are acknowledged.
func (a *acks) wait() error {
	if a.last == nil {
		return nil
	}
	err := <-a.last
	a.last = nil
	return err
}
