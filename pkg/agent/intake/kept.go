package intake

import (
	"context"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Kept ingests the spooled events and returns the memory that an event has become.
func (in *Intake) Kept(ctx context.Context, e memory.Event) (memory.Memory, error) {
	if err := e.Validate(); err != nil {
		return memory.Memory{}, err
	}
	if _, err := in.Ingest(ctx); err != nil {
		return memory.Memory{}, err
	}
	batch := ingest.Batch(in.cleanEvents([]memory.Event{e}), in.Counter)
	in.Aliases.Adopt(&batch)
	if len(batch.Memories) == 0 {
		return memory.Memory{}, fmt.Errorf("an event of the kind %s is no memory: %w", e.Kind, memory.ErrInvalid)
	}
	m, err := in.Store.Memory(ctx, batch.Memories[0].ID)
	return render.Counted(m, in.Counter), err
}

// MadeOf is the batch of an event alone.
func MadeOf(e memory.Event, counter tokens.Counter) memory.Batch {
	return ingest.Batch([]memory.Event{e}, counter)
}
