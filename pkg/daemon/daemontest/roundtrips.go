package daemontest

import (
	"context"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
)

// CountedStore counts the calls of the methods that ingest and hooks may use. Each is one round trip
// (TestAMethodIsOneQuery of package surreal).
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

func (s *CountedStore) Records(ctx context.Context, q memory.RecordQuery) ([]memory.SessionRecord, error) {
	s.Calls["Records "+typeOf(q)]++
	return s.Store.Records(ctx, q)
}

// typeOf returns the name of a query's type.
func typeOf(q any) string { return strings.TrimPrefix(fmt.Sprintf("%T", q), "memory.") }
