package intake

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// taken is a batch of claimed events.
type taken struct {
	claims []spool.Claim // all claims, including files that are not events
	err    error         // why no more were claimed, or why the batch was not prepared
	prepared
	undo func() // restores the cached last words of the sessions, because the events will be taken again
}

// prepared has the events of a batch and their rows.
type prepared struct {
	good   []spool.Claim // claims of events
	events []memory.Event
	batch  memory.Batch
}

// prepareTime limits the preparation of a batch.
const prepareTime = 20 * time.Second

// errStuck means that a batch was not prepared within prepareTime.
var errStuck = errors.New("it was not read within " + prepareTime.String())

// take claims and prepares the next batch of a spool; nothing if isWanted returns false. err in the result is
// errStuck if the preparation takes too long.
func (in *Intake) take(ctx context.Context, s *spool.Spool, isWanted func() bool) taken {
	t := taken{undo: func() {}}
	if t.err = in.CheckOwned(); t.err != nil || !isWanted() {
		return t
	}
	in.claim(func() []memory.Event {
		t.claims, t.err = s.Claim(in.BatchSize)
		return eventsOf(t.claims)
	})
	if len(t.claims) == 0 {
		if t.err != nil && in.Spools.IsRefused(s, t.err) {
			t.err = nil
		}
		return t
	}
	t.good = slices.DeleteFunc(slices.Clone(t.claims), func(c spool.Claim) bool { return c.Err != nil })
	claimed := eventsOf(t.good) // work that was left behind may still read them
	events, isDone := filestate.Within(ctx, prepareTime, func() []memory.Event { return in.receivedAll(claimed) })
	if isDone {
		t.undo = in.lastWords.set(events)
		t.batch, isDone = filestate.Within(ctx, prepareTime, func() memory.Batch { return in.batchOf(events) })
	}
	if isDone {
		t.events = events
	} else {
		t.prepared, t.err = prepared{}, cmp.Or(ctx.Err(), errStuck)
	}
	return t
}

// claim calls take, and replaces the events that are being stored by the claimed ones that take returns.
func (in *Intake) claim(take func() []memory.Event) {
	in.claiming.Lock()
	defer in.claiming.Unlock()
	in.claimed = take()
}

// giveBack returns claimed events to the spool.
func (t taken) giveBack(s *spool.Spool) error {
	t.undo()
	return s.Release(names(t.claims)...)
}

func eventsOf(claims []spool.Claim) []memory.Event {
	return memory.Each(claims, func(c spool.Claim) memory.Event { return c.Event })
}

func names(claims []spool.Claim) []string {
	return memory.Each(claims, func(c spool.Claim) string { return c.Name })
}
