package importer_test

import (
	"context"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

type timed struct {
	memory.Store
	spent map[string]time.Duration
	n     map[string]int
}

func (s timed) add(name string, from time.Time) { s.spent[name] += time.Since(from); s.n[name]++ }
func (s timed) Ingest(ctx context.Context, b memory.Batch) error {
	defer s.add("ingest", time.Now())
	return s.Store.Ingest(ctx, b)
}
func (s timed) Activity(ctx context.Context, id string) (memory.Activity, error) {
	defer s.add("activity", time.Now())
	return s.Store.Activity(ctx, id)
}
func (s timed) Session(ctx context.Context, id string) (memory.Session, error) {
	defer s.add("session", time.Now())
	return s.Store.Session(ctx, id)
}
func (s timed) Summarise(ctx context.Context, id string, x memory.Summary) error {
	defer s.add("summarise", time.Now())
	return s.Store.Summarise(ctx, id, x)
}
func (s timed) MemoriesByID(ctx context.Context, ids []string) ([]memory.Memory, error) {
	defer s.add("byid", time.Now())
	return s.Store.MemoriesByID(ctx, ids)
}

func TestZZTime(t *testing.T) {
	s := timed{realStore(t), map[string]time.Duration{}, map[string]int{}}
	a, db := newAgent(t, s), claudeMem(t)
	from := time.Now()
	importClaudeMem(t, a, db)
	t.Log("all", time.Since(from))
	for k, v := range s.spent {
		t.Log(k, s.n[k], v)
	}
}
