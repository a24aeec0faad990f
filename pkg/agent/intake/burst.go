package intake

import (
	"sync"
	"time"
)

// calmTime is how long no batch may be full until a burst is over: bursts come in rows,
// and the work that waits for the end of one must not begin between two of them.
const calmTime = 5 * time.Second

// burst is whether more events come in than one batch holds.
type burst struct {
	mu    sync.Mutex
	since time.Time     // when its first full batch was taken
	over  chan struct{} // closed at its end; nil: there is none
	calm  *time.Timer   // ends it; nil while its events are being stored
	round int           // counts full batches: a timer that was stopped too late ends nothing
}

// goesOn notes that a full batch was taken.
func (b *burst) goesOn(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.round++
	if b.calm != nil {
		b.calm.Stop()
		b.calm = nil
	}
	if b.over == nil {
		b.since, b.over = now, make(chan struct{})
	}
}

// pauses notes that nothing more waits now.
func (b *burst) pauses() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over != nil && b.calm == nil {
		round := b.round
		b.calm = time.AfterFunc(calmTime, func() { b.end(round) })
	}
}

// end ends the burst, unless a batch was full since.
func (b *burst) end(round int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over != nil && b.round == round {
		close(b.over)
		b.over, b.calm = nil, nil
	}
}

// now is the result of Burst.
func (b *burst) now() (over <-chan struct{}, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over == nil {
		return nil, time.Time{}
	}
	return b.over, b.since
}
