package memory

import (
	"context"
	"errors"
	"time"
)

// releaseTime limits the release of a lease.
const releaseTime = 2 * time.Second

// HoldLease extends a lease until release is called, which gives it back. The returned context ends when another holder has
// taken the lease over. If the store does not answer, it tries again, because only the store can decide that the lease
// is lost. release fails with the store's error; the lease then expires by itself.
func HoldLease(ctx context.Context, leaser Leaser, l Lease, d time.Duration) (held context.Context, release func() error) {
	held, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(d / 3)
		defer ticker.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-ticker.C:
			}
			if _, err := leaser.Lease(held, l, d); errors.Is(err, ErrLeaseLost) {
				cancel(err)
				return
			}
		}
	}()
	return held, func() error {
		cancel(nil)
		<-ended
		// Even if the caller has given up, because others wait for the lease.
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer stop()
		_, err := leaser.Lease(ctx, l, 0)
		return err
	}
}
