package intake

import (
	"slices"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// busy has the events that are being stored, and those claimed to be stored next.
type busy struct {
	claiming sync.RWMutex // held while events are claimed; guards events
	events   []memory.Event
}

// now returns the events that are being stored or are claimed. It waits for a claim that is being made.
func (b *busy) now() []memory.Event {
	b.claiming.RLock()
	defer b.claiming.RUnlock()
	return b.events
}

// claim calls take and adds the claimed events that it returns.
func (b *busy) claim(take func() []memory.Event) {
	b.claiming.Lock()
	defer b.claiming.Unlock()
	b.events = slices.Concat(b.events, take())
}

// stored removes the first n events, which are stored now.
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

// acks acknowledges events of a spool while the next batch is stored. Deleting a synced file takes about 0.1 ms.
type acks struct {
	spool *spool.Spool
	last  chan error // receives the result of the last add; nil if none is under way
}

// add waits for the events of the last call, starts to acknowledge the given ones, and returns the error of the last
// call.
func (a *acks) add(names []string) error {
	err := a.wait()
	done := make(chan error, 1)
	go func() { done <- a.spool.Ack(names...) }()
	a.last = done
	return err
}

// wait waits until all events are acknowledged, and returns the error of the last add.
func (a *acks) wait() error {
	if a.last == nil {
		return nil
	}
	err := <-a.last
	a.last = nil
	return err
}
