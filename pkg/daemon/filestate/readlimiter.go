package filestate

import (
	"context"
	"sync"
	"time"
)

// mostReads is the maximum number of reads at the same time, including those that have exceeded their limit and still
// hang.
const mostReads = 16

// ReadLimiter limits the reads of folders whose file system (network or FUSE) may hang. Such a read never returns and
// cannot be cancelled. It is left behind, and no other read of its root begins until it returns. The zero value is ready.
type ReadLimiter struct {
	mu       sync.Mutex
	underWay int
	left     map[string]int // number of reads left behind, by root
}

// TryRead returns the result of read, which reads files below root. It returns false if read takes longer than limit,
// or if it may not begin now.
func TryRead[T any](ctx context.Context, l *ReadLimiter, root string, limit time.Duration, read func() T) (T, bool) {
	var nothing T
	if !l.begin(root) {
		return nothing, false
	}
	found, isLeft := make(chan T, 1), false // isLeft is guarded by l.mu
	go func() {
		found <- read()
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
	select { // read may have ended just as the time ran out
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

func (l *ReadLimiter) begin(root string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left[root] > 0 || l.underWay >= mostReads {
		return false
	}
	l.underWay++
	return true
}

// end records that a read has ended. The caller holds l.mu.
func (l *ReadLimiter) end(root string, wasLeft bool) {
	l.underWay--
	if !wasLeft {
		return
	}
	if l.left[root]--; l.left[root] == 0 {
		delete(l.left, root)
	}
}
