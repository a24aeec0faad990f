package filestate

import (
	"context"
	"sync"
	"time"
)

// mostLooks is the maximum number of looks at the same time, including those left behind.
const mostLooks = 16

// Looks counts the running looks at folders. A call to a file system that hangs (network or FUSE) never returns and
// cannot be cancelled. Such a look is left behind, and no other look at its root begins until it returns.
type Looks struct {
	mu       sync.Mutex
	underWay int
	left     map[string]int // number of looks left behind, by root
}

// Look returns the result of find, which reads files below root. It returns false if find takes longer than limit, or
// if no look may begin now.
func Look[T any](ctx context.Context, l *Looks, root string, limit time.Duration, find func() T) (T, bool) {
	var nothing T
	if !l.begin(root) {
		return nothing, false
	}
	found, isLeft := make(chan T, 1), false // isLeft is guarded by l.mu
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
	select { // find may have ended at the same moment as the time
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

// end records that a look has ended. The caller holds l.mu.
func (l *Looks) end(root string, wasLeft bool) {
	l.underWay--
	if !wasLeft {
		return
	}
	if l.left[root]--; l.left[root] == 0 {
		delete(l.left, root)
	}
}
