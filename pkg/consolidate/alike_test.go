package consolidate_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// reading counts the rows that a job reads.
type reading struct {
	storetest.Store
	rows int
}

func (s *reading) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	rows, err := s.Store.Rows(ctx, q)
	s.rows += len(rows)
	return rows, err
}

func (s *reading) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	page, err := s.Store.Changed(ctx, q)
	s.rows += len(page.Rows)
	return page, err
}

// Each job reads as many rows for each of many similar rows as for one of few: the same words of other projects and files.
func TestRowsOfOneFormAreReadOnce(t *testing.T) {
	t.Parallel()
	read := func(job string, n int) int {
		store := &reading{Store: surrealtest.Empty(t)}
		musttest.Do(t, storetest.Fill(t.Context(), store, alike(n)))
		r := runnerAt(store, noon.Add(time.Hour))
		r.Page = 8
		musttest.Get(r.Run(t.Context(), consolidate.Request{Job: job, Trigger: "manual"}))(t)
		return store.rows
	}
	for _, job := range schedule.JobNames() {
		few := read(job, 20)
		many := read(job, 80)
		if float64(many) > 4.4*float64(few) {
			t.Errorf("%s: of 80 rows %d were read, of 20 %d", job, many, few)
		}
	}
}

// alike are facts of which each has the words of the others.
func alike(n int) []memory.Memory {
	var all []memory.Memory
	for i := range n {
		m := memory.Memory{
			ID: fmt.Sprintf("%064x", i), Project: fmt.Sprint("p", i%2), Kind: memory.KindConvention, Type: memory.TypeSemantic, Scope: memory.ScopeProject,
			Status: memory.StatusActive, Source: memory.SourceAssistant, Title: "A rule of the package manager", Importance: 0.6, CreatedAt: noon.Add(time.Duration(i) * time.Second),
			Content: fmt.Sprintf("never start `pnpm` from lib/part%d.go", i),
		}
		if i%2 == 0 { // the same in some projects
			m.Project, m.Content = fmt.Sprint("q", i%8), fmt.Sprintf("always start `pnpm` from the root of part%d", i/8)
		}
		m.LastSeenAt = m.CreatedAt
		all = append(all, m)
	}
	return all
}
