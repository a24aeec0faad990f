package spool_test

import (
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// Many writers put the first event of a home at the same instant: each must find or create the folders.
func TestManyMakeASpoolAtOnce(t *testing.T) {
	const rounds, racers = 20, 16
	for round := range rounds {
		s := spool.New(filepath.Join(t.TempDir(), "home", "spool"))
		ready := make(chan struct{})
		var all sync.WaitGroup
		for n := range racers {
			all.Go(func() {
				<-ready
				musttest.Is(t, nil, s.Put(event(start, strconv.Itoa(n))), "round %d", round)
			})
		}
		close(ready)
		all.Wait()
		if counts, err := s.Counts(); err != nil || counts != (spool.Counts{New: racers}) {
			t.Errorf("round %d: the spool has %+v, %v, want %d new events", round, counts, err, racers)
		}
	}
}
