package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// statusTime bounds how long counting the store may take for a status: also with a
	// store that hangs, the status must come within two seconds.
	statusTime = time.Second
	// mostTallying bounds one count of the store.
	mostTallying = time.Minute
	// tallyPause is how many times as long as a long count took no other begins.
	tallyPause = 20
)

// tally is the last count of the store. A large store takes longer to count than somebody
// who asks for its status waits: then the count goes on for whoever asks next. There is
// one at a time.
type tally struct {
	mu    sync.Mutex
	stats memory.Stats
	at    time.Time // when the count of stats began; zero if there is none
	took  time.Duration
	began time.Time // of the last count, whether or not it succeeded
	err   error     // of it
	done  chan struct{}
}

// of returns a count that began after it was requested, or, if that is not there when the context
// ends, or took long a short while ago, the last one; at is when it began. The error wraps
// memory.ErrUnavailable if there is none.
func (t *tally) of(
	ctx context.Context, count func(context.Context) (memory.Stats, error),
) (stats memory.Stats, at time.Time, err error) {
	asked := time.Now()
	for {
		t.mu.Lock()
		isLong := t.took > statusTime && asked.Sub(t.at) < tallyPause*t.took
		if !t.began.Before(asked) || isLong && t.err == nil {
			defer t.mu.Unlock()
			return t.stats, t.at, t.err
		}
		if t.done == nil {
			t.done = make(chan struct{})
			go t.count(context.WithoutCancel(ctx), count)
		}
		done := t.done
		t.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return t.late()
		}
	}
}

// late is the last count, for somebody who cannot wait for the next.
func (t *tally) late() (memory.Stats, time.Time, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at.IsZero() {
		return memory.Stats{}, t.at,
			fmt.Errorf("the store does not answer, or is so large that it is still being counted: %w", memory.ErrUnavailable)
	}
	return t.stats, t.at, nil
}

func (t *tally) count(ctx context.Context, count func(context.Context) (memory.Stats, error)) {
	ctx, cancel := context.WithTimeout(ctx, mostTallying)
	defer cancel()
	began := time.Now()
	stats, err := count(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.began, t.err = began, err; err == nil {
		t.stats, t.at, t.took = stats, began, time.Since(began)
	}
	close(t.done)
	t.done = nil
}
