package filestate

import (
	"context"
	"sync"
	"time"
)

// mostLooks bounds those that are under way, with those that were left behind.
const mostLooks = 16

// Looks are those at folders that are under way. A file system that hangs (one of a network,
// or FUSE) never answers, and no call to it can be taken back: such a look is left behind,
// and below its root nobody looks until it returns.
type Looks struct {
	mu       sync.Mutex
	underWay int
	left     map[string]int // those left behind, by their root
}

// Look returns the finding below a root, or false if it is not known within the limit.
func Look[T any](ctx context.Context, l *Looks, root string, limit time.Duration, find func() T) (T, bool) {
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
	ctx, cancel := context.WithTimeout(ctx, limit)
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
		if l.left == nil {
			l.left = map[string]int{}
		}
		l.left[root]++
		return nothing, false
	}
}

func (l *Looks) begin(root string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left[root] > 0 || l.underWay >= mostLooks {
		return false
	}
	l.underWay++
	return true
}

// end notes that a look has returned. Its caller holds the lock.
func (l *Looks) end(root string, wasLeft bool) {
	l.underWay--
	if !wasLeft {
		return
	}
	if l.left[root]--; l.left[root] == 0 {
		delete(l.left, root)
	}
}
