package distiller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// billed is the number of sessions, after the user was asked about a model and did not answer, whose cost is
// estimated.
const billed = 20

// The facts per session that a model kept for two people (docs/distill.md): 250 from 345 sessions, and 260 from 120.
const (
	leastFacts = 250. / 345
	mostFacts  = 260. / 120
)

// Bill writes to Unpaid, once, what a model would have cost for the sessions since the user was asked about one and
// did not answer, and how many facts it would have kept. It does nothing until there are enough sessions (billed),
// and asks no model.
func (d *Distiller) Bill(ctx context.Context) error {
	asked, err := os.Stat(d.Asked)
	if errors.Is(err, fs.ErrNotExist) || d.Unpaid == "" || d.settings().Decided {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read when the user was asked about a model: %w", err)
	}
	if _, err := os.Stat(d.Unpaid); err == nil {
		return nil
	}
	newest, err := d.Store.Sessions(ctx, memory.LastSessions{Limit: billed})
	if err != nil || len(newest) < billed || newest[billed-1].StartedAt.Before(asked.ModTime()) {
		return err
	}
	estimate, err := d.Estimate(ctx, daemonapi.DistillEstimateParams{Sessions: billed})
	if err != nil {
		return err
	}
	text, err := json.Marshal(daemonapi.DistillBill{
		Sessions: estimate.Sessions, USD: estimate.USD, Receiver: d.settings().Receiver(),
		LeastFacts: int(leastFacts * float64(estimate.Asked)), MostFacts: int(mostFacts * float64(estimate.Asked)),
	})
	if err != nil {
		return err
	}
	return atomicfile.Write(d.Unpaid, 0o600, text)
}
