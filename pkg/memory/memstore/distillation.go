package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Distillations implements storetest.Store.
func (s *Store) Distillations(_ context.Context, q memory.DistillationQuery) ([]memory.Distillation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Limit <= 0 {
		q.Limit = 100
	}
	var found []memory.Distillation
	for _, d := range s.distillations {
		if slices.Contains(q.States, d.State) && (q.Sessions == nil || slices.Contains(q.Sessions, d.Session)) && (q.Due.IsZero() || !d.NextTry.After(q.Due)) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b memory.Distillation) int {
		return cmp.Or(a.NextTry.Compare(b.NextTry), cmp.Compare(a.Session, b.Session))
	})
	return found[:min(q.Limit, len(found))], nil
}

// Spent implements storetest.Store.
func (s *Store) Spent(_ context.Context, q memory.SpendQuery) ([]memory.SpendTotal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := q.Since.UTC().Format(time.DateOnly)
	sums := map[[2]string]memory.SpendTotal{}
	for _, one := range s.spend {
		day := one.At.UTC().Format(time.DateOnly)
		if day < since || q.Session != "" && one.Session != q.Session {
			continue
		}
		key := [2]string{day, one.Job}
		total := sums[key]
		total.Day, total.Job = day, one.Job
		total.Calls++
		total.Input += one.Input
		total.Output += one.Output
		total.USD += one.USD
		if one.Error != "" {
			total.Failed++
		}
		if one.Estimated {
			total.Estimated++
		}
		sums[key] = total
	}
	var totals []memory.SpendTotal
	for _, total := range sums {
		totals = append(totals, total)
	}
	slices.SortFunc(totals, func(a, b memory.SpendTotal) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Job, b.Job)) })
	return totals, nil
}
