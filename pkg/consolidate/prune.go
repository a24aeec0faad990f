package consolidate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy/rules"
)

// prune archives the rows that have faded, and then the weakest rows of scopes that exceed their budget.
func (w *work) prune(ctx context.Context) error {
	limits := w.Rules
	if w.request.Force {
		limits.LargestShare = 1
	}
	if w.request.All {
		if err := w.rescheduleAll(ctx); err != nil {
			return err
		}
	}
	for _, project := range slices.Sorted(maps.Keys(w.now.ActiveDays)) {
		p := pruning{work: w, project: project, limits: limits, reading: w.now.ActiveDays[project]}
		if err := p.pruneProject(ctx); err != nil {
			return err
		}
	}
	return w.forgetEvents(ctx)
}

// oldAtOnce is the number of events that one transaction deletes.
const oldAtOnce = 200

// forgetEvents deletes old events. What was derived from them stays: facts, fixes and session summaries.
func (w *work) forgetEvents(ctx context.Context) error {
	if w.KeepEvents == 0 {
		return nil
	}
	gone := 0
	for last := false; !last; {
		page, err := w.Store.Export(ctx, memory.ExportQuery{
			Section: memory.SectionEvent, Before: w.now.Time.Add(-w.KeepEvents), Limit: oldAtOnce,
		})
		if err != nil {
			return err
		}
		old := page.Events
		if len(old) > 0 {
			if _, err = w.Store.Commit(ctx, memory.Commit{Lease: w.lease, Old: old}); err != nil {
				return err
			}
		}
		for _, row := range old {
			gone += len(row.Events)
		}
		last = len(old) < oldAtOnce
	}
	if gone > 0 {
		w.note(fmt.Sprintf("deleted events older than %d days: %d", int(w.KeepEvents.Hours()/24), gone))
	}
	return nil
}

// reschedule stores when rows are due next.
func (w *work) reschedule(ctx context.Context, due map[string]float64) error {
	if len(due) == 0 {
		return nil
	}
	_, err := w.Store.Commit(ctx, memory.Commit{Due: due})
	return err
}

// rescheduleAll computes again when each row is due, because the rules may have changed.
func (w *work) rescheduleAll(ctx context.Context) error {
	return w.scanned(ctx, func(rows []memory.Row) error {
		due := map[string]float64{}
		for _, row := range w.resolved(rows) {
			on := policy.DueOn(row, w.now, w.Rules)
			if on <= w.now.ActiveDays[row.Clock()] {
				on = 0
			}
			if needsReschedule(row.DueOn, on) {
				due[row.Memory.ID] = on
			}
		}
		return w.reschedule(ctx, due)
	})
}

// needsReschedule reports whether the stored due time of a row must be set to on. A stored time that is up to two
// days too late is kept, unless the row is due at once. Otherwise a full run would write every archived row, because
// the end of its grace, in active days, moves with each inactive day.
func needsReschedule(due, on float64) bool {
	const mostLate = 2
	return due < on || due > on+mostLate || on == 0 && due != 0
}

// pruning is the work on one project, or, for "", on the user's memories.
type pruning struct {
	*work
	project string
	limits  policy.Rules
	reading float64 // time on the project's clock until which rows are due
	totals  map[memory.BudgetScope]memory.BudgetTotal
}

// pruneProject archives the rows of the project that have faded, and then those that exceed a budget.
func (p *pruning) pruneProject(ctx context.Context) error {
	if err := p.decay(ctx); err != nil {
		return err
	}
	if p.totals == nil { // nothing has faded, but the project may exceed a budget
		if isFull, err := p.isOverBudget(ctx); err != nil || !isFull {
			return err
		}
	}
	if err := p.sum(ctx); err != nil {
		return err
	}
	for _, scope := range slices.SortedFunc(maps.Keys(p.totals), policy.CompareBudgetScopes) {
		if policy.NeedsPruning(p.limits, scope, p.totals[scope]) {
			if err := p.fit(ctx, scope); err != nil {
				return err
			}
		}
	}
	return nil
}

// isOverBudget reports whether one of the project's scopes exceeds its budget.
func (p *pruning) isOverBudget(ctx context.Context) (bool, error) {
	active, err := p.Store.Totals(ctx, memory.Budgets{Project: p.project})
	for _, sum := range active.Budgets {
		if policy.OverBudget(p.limits, sum.BudgetScope, sum) {
			return true, err
		}
	}
	return false, err
}

// sum loads the totals of the project's scopes, once.
func (p *pruning) sum(ctx context.Context) error {
	if p.totals != nil {
		return nil
	}
	sums, err := p.Store.Totals(ctx, memory.Budgets{Project: p.project, Retired: p.now.Time.Add(-rules.Window)})
	p.totals = make(map[memory.BudgetScope]memory.BudgetTotal, len(sums.Budgets))
	for _, sum := range sums.Budgets {
		p.totals[sum.BudgetScope] = sum
	}
	return err
}

// decay archives the due rows of the project that have faded, and reschedules the others.
func (p *pruning) decay(ctx context.Context) error {
	limit := p.pageSize()
	stuck := false
	return p.eachPage(ctx, func() ([]memory.Row, bool, error) {
		if stuck {
			return nil, true, nil
		}
		rows, err := p.Store.Rows(ctx, memory.Due{Readings: map[string]float64{p.project: p.reading}, Limit: limit})
		return rows, len(rows) < limit, err
	}, func(rows []memory.Row) error {
		resolved, plan := p.resolved(rows), policy.Plan{}
		later := p.nextDue(resolved, plan)
		if len(later) < len(rows) { // how many rows may be archived depends on the number of all rows
			var err error
			if plan, err = p.archiveFaded(ctx, rows); err != nil {
				return err
			}
			later = p.nextDue(resolved, plan)
		}
		stuck = len(later)+len(plan.Actions) == 0
		return p.reschedule(ctx, later)
	})
}

// archiveFaded archives the faded rows of the project. It applies no budget, which needs all rows of a scope.
func (p *pruning) archiveFaded(ctx context.Context, rows []memory.Row) (policy.Plan, error) {
	if err := p.sum(ctx); err != nil {
		return policy.Plan{}, err
	}
	const all = 1 << 50
	unbounded := p.limits
	unbounded.ProjectBudget, unbounded.UserBudget = all, all
	plan, err := p.carryOut(ctx, rows, 0, func(rows []policy.Row) (policy.Plan, error) {
		return policy.Prune(p.now, unbounded, rows, p.totals)
	})
	if err == nil {
		policy.UpdateTotals(p.totals, plan)
	}
	return plan, err
}

// nextDue returns, by id, when the rows that a plan left unchanged are due next. Rows that are due now but had to
// wait stay due.
func (p *pruning) nextDue(rows []policy.Row, plan policy.Plan) map[string]float64 {
	acted := make(map[string]bool, len(plan.Actions))
	for _, a := range plan.Actions {
		acted[a.Memory] = true
	}
	due := map[string]float64{}
	for _, row := range rows {
		if on := policy.DueOn(row, p.now, p.limits); !acted[row.Memory.ID] && on > p.now.ActiveDays[row.Clock()] {
			due[row.Memory.ID] = on
		}
	}
	return due
}

// fit archives the weakest rows of a scope that exceeds its budget.
func (p *pruning) fit(ctx context.Context, scope memory.BudgetScope) error {
	rows, err := p.Store.Rows(ctx, memory.Page{
		Project: scope.Project, Status: memory.StatusActive, Limit: math.MaxInt32,
	})
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r memory.Row) bool { return r.Memory.Scope != scope.Scope })
	p.run.Examined += len(rows)
	plan, err := policy.Prune(p.now, p.limits, p.resolved(rows), p.totals)
	if err != nil {
		return err
	}
	policy.UpdateTotals(p.totals, plan)
	p.note(plan.Notes...)
	for actions := range slices.Chunk(plan.Actions, p.pageSize()) {
		if err := p.make(ctx, stored(actions, rows)); err != nil {
			return err
		}
	}
	return nil
}
