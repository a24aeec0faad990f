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

func (s *CountedStore) Apply(ctx context.Context, w memory.Write) error {
	s.Calls["Apply"]++
	return s.Store.Apply(ctx, w)
}

func (s *CountedStore) Read(ctx context.Context, k memory.Keys) (memory.Rows, error) {
	s.Calls["Read"]++
	return s.Store.Read(ctx, k)
}

func (s *CountedStore) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	s.Calls["Rows"]++
	return s.Store.Rows(ctx, q)
}

func (s *CountedStore) Sessions(ctx context.Context, q memory.SessionQuery) ([]memory.Session, error) {
	s.Calls["Sessions"]++
	return s.Store.Sessions(ctx, q)
}

func (s *CountedStore) SessionRecords(ctx context.Context, ids []string) ([]memory.SessionRecord, error) {
	s.Calls["SessionRecords"]++
	return s.Store.SessionRecords(ctx, ids)
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

func (s *CountedStore) Injections(ctx context.Context, session string, from, until time.Time) ([]memory.Injection, error) {
	s.Calls["Injections"]++
	return s.Store.Injections(ctx, session, from, until)
}

func (s *CountedStore) StartContext(ctx context.Context, q memory.StartQuery) (memory.StartContext, error) {
	s.Calls["StartContext"]++
	return s.Store.StartContext(ctx, q)
}
