package intake

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
)

// Foresee works out the outcomes of the sessions that rest, as if they ended now, unless
// events wait: that can be done later.
func (in *Intake) Foresee(ctx context.Context) error {
	in.writing.Lock() // so that none of them goes on meanwhile
	defer in.writing.Unlock()
	sessions := in.outcomes.unknown()
	if waiting, all := in.waiting(""); len(sessions) == 0 || !all || len(waiting) > 0 {
		return nil
	}
	for some := range slices.Chunk(sessions, concludedAtOnce) {
		records, err := in.Store.SessionRecords(ctx, some)
		if err != nil {
			return err
		}
		for _, record := range records {
			record.Session.Summary = ingest.Summary(record, in.Counter)
			in.outcomes.know(record.Session)
		}
	}
	return nil
}
