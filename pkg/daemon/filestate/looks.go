package filestate

import (
	"context"
	"sync"
	"time"
)

// mostLooks limits the looks under way, including those that were left behind.
const mostLooks = 16

// Looks counts the looks at folders that are under way. A file system that hangs (on a network, or
// FUSE) never answers, and a call to it cannot be taken back. Such a look is left behind, and
// nobody looks below its root until it returns.
type Looks struct {
	mu       sync.Mutex
	underWay int
	left     map[string]int // number of looks left behind, by root
}

// Look returns what find finds below a root, or false if that takes longer than limit, or no look may begin now.
func Look[T any](ctx context.Context, l *Looks, root string, limit time.Duration, find func() T) (T, bool) {
	var nothing T
	if !l.begin(root) {
		return nothing, false
	}
	found, isLeft := make(chan T, 1), false // the lock guards isLeft
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
	select { // the look may have ended just as the time did
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

// end records that a look has returned. Its caller holds the lock.
func (l *Looks) end(root string, wasLeft bool) {
	l.underWay--
	if !wasLeft {
		return
	}
	if l.left[root]--; l.left[root] == 0 {
		delete(l.left, root)
	}
}
