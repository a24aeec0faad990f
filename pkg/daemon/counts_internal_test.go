package daemon

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// counter counts one memory more each time, which takes it a while.
type counter struct {
	takes time.Duration
	times int
}

func (c *counter) Totals(ctx context.Context, _ memory.TotalsQuery) (memory.Totals, error) {
	c.times++
	counted := memory.Totals{Stats: memory.Stats{Memories: c.times}}
	select {
	case <-time.After(c.takes):
		return counted, nil
	case <-ctx.Done():
		return memory.Totals{}, ctx.Err()
	}
}

func ask(t *testing.T, of *counts, c *counter) (int, time.Time, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), statusTime)
	defer cancel()
	last, err := of.of(ctx, c, "")
	return last[""].Memories, last[""].at, err
}

func TestASmallStoreIsCountedForEachWhoAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var of counts
		c := &counter{takes: 10 * time.Millisecond}
		for want := 1; want <= 3; want++ {
			asked := time.Now()
			if got, at, err := ask(t, &of, c); got != want || at.Before(asked) || err != nil {
				t.Errorf("count %d is %d of %v, %v; asked at %v", want, got, at, err, asked)
			}
		}
	})
}

func TestWhoAsksDuringACountGetsOneThatBeganLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var of counts
		c := &counter{takes: 100 * time.Millisecond}
		go func() { _, _, _ = ask(t, &of, c) }()
		time.Sleep(50 * time.Millisecond)
		if got, _, err := ask(t, &of, c); got != 2 || err != nil {
			t.Errorf("counted %d, %v, want the result of the second count", got, err)
		}
	})
}

func TestALargeStoreIsCountedOnForWhoAsksNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var of counts
		c := &counter{takes: 5 * time.Second}
		began := time.Now()
		if got, _, err := ask(t, &of, c); got != 0 || err != nil || time.Since(began) > statusTime {
			t.Errorf("the first who asks gets %d, %v after %v", got, err, time.Since(began))
		}
		time.Sleep(5 * time.Second)
		for range 3 { // not counted again at once
			if got, at, err := ask(t, &of, c); got != 1 || !at.Equal(began) || err != nil {
				t.Errorf("then %d of %v, %v; the count began at %v", got, at, err, began)
			}
		}
		if c.times != 1 {
			t.Errorf("counted %d times", c.times)
		}
		time.Sleep(countPause * c.takes)
		if got, at, err := ask(t, &of, c); got != 1 || !at.Equal(began) || err != nil {
			t.Errorf("while it is counted again %d of %v, %v", got, at, err)
		}
		time.Sleep(5 * time.Second)
		if got, _, err := ask(t, &of, c); got != 2 || err != nil {
			t.Errorf("counted again: %d, %v", got, err)
		}
	})
}
