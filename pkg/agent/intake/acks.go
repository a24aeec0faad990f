package intake

import "github.com/surrealdb-memory/surrealdb-memory/pkg/spool"

// acks acknowledges events of a spool, while the next batch is stored: deleting a file
// that was synced takes some 0.1 ms.
type acks struct {
	spool *spool.Spool
	last  chan error // gives the outcome of the last; nil: none are under way
}

// add acknowledges events when those before have been. The error is of those before.
func (a *acks) add(names []string) error {
	err := a.wait()
	done := make(chan error, 1)
	go func() { done <- a.spool.Ack(names...) }()
	a.last = done
	return err
}

// wait waits until all are acknowledged.
func (a *acks) wait() error {
	if a.last == nil {
		return nil
	}
	err := <-a.last
	a.last = nil
	return err
}
