package intake

import (
	"slices"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// busy records the events that are being stored now, or are claimed to be stored next.
type busy struct {
	claiming sync.RWMutex // held while events are taken from a spool; guards events
	events   []memory.Event
}

// now returns the events that are being stored. It waits while events are being taken from a spool.
func (b *busy) now() []memory.Event {
	b.claiming.RLock()
	defer b.claiming.RUnlock()
	return b.events
}

// claim calls take, and adds the events that it returns to those that are being stored.
func (b *busy) claim(take func() []memory.Event) {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = slices.Concat(b.events, take())
}

// stored removes the first n events, which are in the store now.
func (b *busy) stored(n int) {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = b.events[n:]
}

// end removes all events.
func (b *busy) end() {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = nil
}

// acks acknowledges events of a spool, while the next batch is stored: deleting a file
// that was synced takes some 0.1 ms.
type acks struct {
	spool *spool.Spool
	last  chan error // receives the outcome of the last call; nil: none is under way
}

// add starts to acknowledge events once those before are done, and returns the error of those before.
func (a *acks) add(names []string) error {
	err := a.wait()
	done := make(chan error, 1)
	go func() { done <- a.spool.Ack(names...) }()
	a.last = done
	return err
}

// wait waits until all are acknowledged, and returns the error of the last call.
func (a *acks) wait() error {
	if a.last == nil {
		return nil
	}
	err := <-a.last
	a.last = nil
	return err
}
