package agent

import (
	"context"
	"sync"
)

// StartTimetable runs maintenance on its schedule, as a service does, until it is
// stopped.
func (a *Agent) StartTimetable(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	c, t := newCron(a), newTimetable(a)
	t.enter(ctx, c)
	var catchingUp sync.WaitGroup
	catchingUp.Go(func() { t.catchUp(ctx) })
	c.Start()
	return func() {
		cancel()
		<-c.Stop().Done()
		catchingUp.Wait()
	}
}
