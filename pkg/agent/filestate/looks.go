package filestate

import (
	"context"
	"sync"
	"time"
)

const (
	// lookLimit is how long looking at the files of one event or memory may take. A file
	// system that hangs (one of a network, or FUSE) never answers, and no call to it can
	// be taken back: then the look is left behind.
	lookLimit = time.Second
	// mostLooks bounds those that are under way, with those that were left behind.
	mostLooks = 16
)

// looks are those that are under way. Below a root where one was left behind nobody looks
// until that returns.
type looks struct {
	mu       sync.Mutex
	underWay int
	left     map[string]int // those left behind, by their root
}

// look returns the finding below a root, or false if it is not known in time.
func look[T any](ctx context.Context, l *looks, root string, find func() T) (T, bool) {
	var nothing T
	if !l.begin(root) {
		return nothing, false
	}
	found, isLeft := make(chan T, 1), false // isLeft is the lock's
	go func() {
		found <- find()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.end(root, isLeft)
	}()
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	select {
	case result := <-found:
		return result, true
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select { // it may have ended with the time
	case result := <-found:
		return result, true
	default:
		isLeft = true
		l.left[root]++
		return nothing, false
	}
}

func (l *looks) begin(root string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left[root] > 0 || l.underWay >= mostLooks {
		return false
	}
	l.underWay++
	return true
}

// end notes that a look has returned. Its caller holds the lock.
func (l *looks) end(root string, wasLeft bool) {
	l.underWay--
	if !wasLeft {
		return
	}
	if l.left[root]--; l.left[root] == 0 {
		delete(l.left, root)
	}
}
