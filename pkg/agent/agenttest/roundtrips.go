package agenttest

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
)

// CountedStore counts the calls of the methods that ingest and hooks may use. Each is
// one round trip (TestAMethodIsOneQuery of package surreal).
type CountedStore struct {
	storetest.Store
	Calls map[string]int
}

func (s *CountedStore) Ingest(ctx context.Context, b memory.Batch) error {
	s.Calls["Ingest"]++
	return s.Store.Ingest(ctx, b)
}

func (s *CountedStore) Rows(ctx context.Context, ids []string) ([]memory.Row, error) {
	s.Calls["Rows"]++
	return s.Store.Rows(ctx, ids)
}

func (s *CountedStore) Session(ctx context.Context, id string) (memory.Session, error) {
	s.Calls["Session"]++
	return s.Store.Session(ctx, id)
}

func (s *CountedStore) SessionsByID(ctx context.Context, ids []string) ([]memory.Session, error) {
	s.Calls["SessionsByID"]++
	return s.Store.SessionsByID(ctx, ids)
}

func (s *CountedStore) SessionRecord(ctx context.Context, id string) (memory.SessionRecord, error) {
	s.Calls["SessionRecord"]++
	return s.Store.SessionRecord(ctx, id)
}

func (s *CountedStore) SessionRecords(ctx context.Context, ids []string) ([]memory.SessionRecord, error) {
	s.Calls["SessionRecords"]++
	return s.Store.SessionRecords(ctx, ids)
}

func (s *CountedStore) Summarise(ctx context.Context, session string, summary memory.Summary) error {
	s.Calls["Summarise"]++
	return s.Store.Summarise(ctx, session, summary)
}

func (s *CountedStore) Memory(ctx context.Context, id string) (memory.Memory, error) {
	s.Calls["Memory"]++
	return s.Store.Memory(ctx, id)
}

func (s *CountedStore) Memories(ctx context.Context, f memory.Filter) ([]memory.Memory, error) {
	s.Calls["Memories"]++
	return s.Store.Memories(ctx, f)
}

func (s *CountedStore) Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error {
	s.Calls["Recallable"]++
	return s.Store.Recallable(ctx, project, size, visit)
}

func (s *CountedStore) Injected(ctx context.Context, session string, after time.Time) ([]string, error) {
	s.Calls["Injected"]++
	return s.Store.Injected(ctx, session, after)
}

func (s *CountedStore) StartContext(ctx context.Context, q memory.StartQuery) (memory.StartContext, error) {
	s.Calls["StartContext"]++
	return s.Store.StartContext(ctx, q)
}
