package daemontest

import (
	"context"
	"fmt"
	"strings"
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
	s.Calls["Rows "+typeOf(q)]++
	return s.Store.Rows(ctx, q)
}

func (s *CountedStore) Sessions(ctx context.Context, q memory.SessionQuery) ([]memory.Session, error) {
	s.Calls["Sessions "+typeOf(q)]++
	return s.Store.Sessions(ctx, q)
}

func (s *CountedStore) SessionRecords(ctx context.Context, ids []string) ([]memory.SessionRecord, error) {
	s.Calls["SessionRecords"]++
	return s.Store.SessionRecords(ctx, ids)
}

func (s *CountedStore) Injections(ctx context.Context, session string, from, until time.Time) ([]memory.Injection, error) {
	s.Calls["Injections"]++
	return s.Store.Injections(ctx, session, from, until)
}

// typeOf is the name of a query's type.
func typeOf(q any) string { return strings.TrimPrefix(fmt.Sprintf("%T", q), "memory.") }
