package distiller

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	leaseName = "distillation"
	// leaseMargin is how long the work beside a call may take.
	leaseMargin = time.Minute
	// saveTime bounds noting where a session stands when the agent ends.
	saveTime = 2 * time.Second
)

func (d *Distiller) leaseTime() time.Duration { return d.Settings.TimeLimit + leaseMargin }

func (d *Distiller) lease(ctx context.Context) (memory.Lease, error) {
	return d.Store.Acquire(ctx, leaseName, memory.NewEventID(d.Now()), d.leaseTime())
}

func (d *Distiller) release(ctx context.Context, lease memory.Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	_ = d.Store.Release(ctx, lease) // else it ends by itself
}
