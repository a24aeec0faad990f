package consolidate

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
)

const (
	// closeLimit bounds the sessions that one run closes; the next run closes more.
	closeLimit = 100
	// repeatSessions is how many of a project's latest sessions facts are derived from.
	// It bounds the cost of a run in a project that has thousands.
	repeatSessions = 100
	// dryRunPage is how many rows of a project a dry run of pruning reads at once.
	dryRunPage = 20_000
)

// recount counts memories by the encoding in use.
func (w *work) recount(ctx context.Context) error {
	for {
		if err := w.giveWay(ctx); err != nil {
			return err
		}
		uncounted, err := w.Store.Uncounted(ctx, w.Counter.Encoding(), w.pageSize())
		if err != nil {
			return err
		}
		ids := make([]string, 0, len(uncounted))
		for _, m := range uncounted {
			ids = append(ids, m.ID)
		}
		rows, err := w.Store.Rows(ctx, ids)
		if err != nil {
			return err
		}
		w.run.Examined += len(rows)
		actions := make([]memory.Action, 0, len(rows))
		for _, row := range rows {
			actions = append(actions, w.counted(row))
		}
		before := w.run.Changed
		if err := w.make(ctx, actions, 0, nil, 0); err != nil {
			return err
		}
		if len(uncounted) < w.pageSize() || w.run.Changed == before {
			return nil
		}
	}
}

func (w *work) counted(row memory.Row) memory.Action {
	reason, kind := "counted by "+row.Memory.TokenEncoding, memory.ActionCount
	if row.Memory.TokenEncoding == "" {
		reason = "not counted"
	}
	after := row.State()
	after.TokenCount, after.TokenEncoding = w.Counter.Count(render.Line(row.Memory)), w.Counter.Encoding()
	switch why := quarantine.Judge(row.Memory.Content); { // it may have been stored by an older version
	case row.Memory.Status == memory.StatusActive && row.Memory.Source != memory.SourceUser && !row.Kept && len(why) > 0:
		after.Status, kind = memory.StatusQuarantined, memory.ActionQuarantine
		reason += "; quarantined: " + strings.Join(why, ", ")
	case row.Memory.Status == memory.StatusQuarantined && !row.Kept && len(why) == 0:
		after.Status, kind = memory.StatusActive, memory.ActionQuarantine
		reason += "; not quarantined any more"
	}
	return memory.Action{
		Memory: row.Memory.ID, Kind: kind, Reason: reason, Before: row.State(), After: after, Cursor: row.Cursor,
	}
}

// close ends silent sessions at their last event. A session that continues after all is
// opened again by its next start or prompt, which is newer.
func (w *work) close(ctx context.Context) error {
	silent, err := w.Store.Silent(ctx, w.Now().Add(-w.CloseAfter), closeLimit)
	if err != nil {
		return err
	}
	w.run.Examined = len(silent)
	for _, s := range silent {
		if err := w.giveWay(ctx); err != nil {
			return err
		}
		if err := w.closeSession(ctx, s); err != nil {
			return err
		}
		w.run.Changed++
	}
	return nil
}

// closeSession summarises a session and then ends it. In this order, because an ended
// session is not looked at again: one that was interrupted in between would never be
// summarised.
func (w *work) closeSession(ctx context.Context, s memory.Session) error {
	record, err := w.Store.SessionRecord(ctx, s.ID)
	if err != nil {
		return err
	}
	// These writes name no lease; ctx ends when the lease is lost.
	if w.lease != nil { // a dry run has none, and writes nothing
		if err := w.Store.Renew(ctx, *w.lease, w.LeaseTime()); err != nil {
			return err
		}
	}
	if err := w.Store.Summarise(ctx, s.ID, ingest.Summary(record, w.Counter)); err != nil {
		return err
	}
	s.State, s.EndedAt, s.EndReason = memory.SessionAbandoned, s.LastEventAt, "silent"
	s.StateAt = s.LastEventAt.Add(1) // just after the event that opened it
	return w.Store.Ingest(ctx, memory.Batch{Sessions: []memory.Session{s}})
}

// changed calls do with each page of the searchable rows that have changed since the
// job last ran; with all searchable rows if the request asks for all.
func (w *work) changed(ctx context.Context, do func(rows []memory.Row, cursor memory.ChangeCursor) error) error {
	if w.request.All {
		return w.everything(ctx, do)
	}
	for query := (memory.ChangeQuery{After: w.state.Cursor, Limit: w.pageSize()}); ; {
		if err := w.giveWay(ctx); err != nil {
			return err
		}
		page, err := w.Store.Changed(ctx, query)
		if err != nil {
			return err
		}
		w.run.Examined += len(page.Rows)
		if len(page.Rows) > 0 {
			if err := do(page.Rows, page.Cursor); err != nil {
				return err
			}
		}
		w.state.Cursor = max(w.state.Cursor, page.Cursor)
		if query.After = page.Cursor; page.Last {
			return nil
		}
	}
}

// everything is changed for all rows. The job's cursor moves only when all are done, to
// where the changes stood at the beginning: an interrupted run leaves it unchanged.
func (w *work) everything(ctx context.Context, do func(rows []memory.Row, cursor memory.ChangeCursor) error) error {
	cursor, err := w.Store.ChangeCursor(ctx)
	if err != nil {
		return err
	}
	err = w.scanned(ctx, memory.ScanQuery{Searchable: true}, func(rows []memory.Row) error { return do(rows, 0) })
	if err == nil {
		w.state.Cursor = max(w.state.Cursor, cursor)
	}
	return err
}

// scanned calls do with each page of all rows.
func (w *work) scanned(ctx context.Context, query memory.ScanQuery, do func(rows []memory.Row) error) error {
	for query.Limit = w.pageSize(); ; {
		if err := w.giveWay(ctx); err != nil {
			return err
		}
		page, err := w.Store.Scan(ctx, query)
		if err != nil {
			return err
		}
		w.run.Examined += len(page.Rows)
		if len(page.Rows) > 0 {
			if err := do(page.Rows); err != nil {
				return err
			}
		}
		if query.After = page.End; page.Last {
			return nil
		}
	}
}

// dedup compares the changed rows with those that share a band with them.
func (w *work) dedup(ctx context.Context) error {
	return w.changed(ctx, func(rows []memory.Row, cursor memory.ChangeCursor) error {
		candidates, err := w.candidates(ctx, rows, policy.Bands)
		if err != nil {
			return err
		}
		all, err := w.rows(ctx, candidates, pointedAt(rows))
		if err != nil {
			return err
		}
		plan, err := policy.Dedup(w.now, w.resolved(all))
		if err != nil {
			return err
		}
		return w.commit(ctx, plan, all, cursor)
	})
}

// promote plans for the changed rows, together with rows that say the same in other
// projects.
func (w *work) promote(ctx context.Context) error {
	return w.changed(ctx, func(rows []memory.Row, cursor memory.ChangeCursor) error {
		candidates, err := w.candidates(ctx, rows, policy.Wording)
		if err != nil {
			return err
		}
		all, err := w.rows(ctx, candidates, idsOf(rows), pointedAt(rows))
		if err != nil {
			return err
		}
		plan, err := policy.Promote(w.now, w.resolved(all))
		if err != nil {
			return err
		}
		return w.commit(ctx, plan, all, cursor)
	})
}

// candidates are the ids of memories that share a key with one of the rows.
func (w *work) candidates(ctx context.Context, rows []memory.Row, keysOf func(policy.Row) []string) ([]string, error) {
	keys := map[string][]string{}
	for _, row := range rows {
		if own := keysOf(policy.Row(row)); len(own) > 0 {
			keys[row.Memory.ID] = own
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return w.Store.Candidates(ctx, keys)
}

func idsOf(rows []memory.Row) []string {
	ids := make([]string, 0, len(rows))
	for _, row := range rows {
		ids = append(ids, row.Memory.ID)
	}
	return ids
}

// pointedAt are the ids of the memories that supersede the rows or that they were
// merged into.
func pointedAt(rows []memory.Row) []string {
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.SupersededBy, row.MergedInto)
	}
	return ids
}

// rows reads rows, each once; ids may be empty.
func (w *work) rows(ctx context.Context, ids ...[]string) ([]memory.Row, error) {
	wanted := slices.Concat(ids...)
	slices.Sort(wanted)
	wanted = slices.DeleteFunc(slices.Compact(wanted), func(id string) bool { return id == "" })
	if len(wanted) == 0 {
		return nil, nil
	}
	return w.Store.Rows(ctx, wanted)
}

// repeats derives facts from the activities of the changed projects. Its cursor moves only
// when all projects are done, so that an interrupted run does them again.
func (w *work) repeats(ctx context.Context) error {
	changes, cursor, err := w.changedProjects(ctx)
	if err != nil {
		return err
	}
	for _, project := range slices.Sorted(maps.Keys(changes)) {
		if !changes[project].Activities {
			continue
		}
		if err := w.repeatsOf(ctx, project); err != nil {
			return err
		}
	}
	w.state.Cursor = max(w.state.Cursor, cursor)
	return nil
}

// changedProjects are the projects with rows that have changed since the job last
// ran, until a cursor; asked to look at all rows, all projects.
func (w *work) changedProjects(ctx context.Context) (map[string]memory.ProjectChanges, memory.ChangeCursor, error) {
	if !w.request.All {
		return w.Store.ChangedProjects(ctx, w.state.Cursor)
	}
	cursor, err := w.Store.ChangeCursor(ctx)
	changes := make(map[string]memory.ProjectChanges, len(w.now.ActiveDays))
	for project := range w.now.ActiveDays {
		changes[project] = memory.ProjectChanges{Activities: true}
	}
	return changes, cursor, err
}

func (w *work) repeatsOf(ctx context.Context, project string) error {
	if err := w.giveWay(ctx); err != nil {
		return err
	}
	activities, err := w.Store.Activities(ctx, project, repeatSessions)
	if err != nil {
		return err
	}
	w.run.Examined += len(activities)
	episodes := make([]policy.Episode, 0, len(activities))
	for _, activity := range activities {
		if episode, ok := episodeOf(activity); ok {
			episodes = append(episodes, episode)
		}
	}
	// First find the ids that the facts would have, and which of them are stored
	// already.
	proposed, err := policy.Repeats(w.now, episodes, nil)
	if err != nil {
		return err
	}
	ids := make([]string, 0, len(proposed.Facts))
	for _, fact := range proposed.Facts {
		ids = append(ids, fact.Row.Memory.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	known, err := w.Store.Rows(ctx, ids)
	if err != nil {
		return err
	}
	plan, err := policy.Repeats(w.now, episodes, w.resolved(known))
	if err != nil {
		return err
	}
	w.count(&plan)
	return w.commit(ctx, plan, known, 0)
}

// count counts the tokens of the texts that a plan has written.
func (w *work) count(plan *policy.Plan) {
	for i := range plan.Facts {
		m := &plan.Facts[i].Row.Memory
		m.TokenCount, m.TokenEncoding = w.Counter.Count(render.Line(*m)), w.Counter.Encoding()
	}
	for i := range plan.Actions {
		after := &plan.Actions[i].After
		if after.TokenEncoding == "" && after.Content != "" {
			line := render.Line(memory.Memory{Content: after.Content, Kind: memory.KindNote})
			after.TokenCount, after.TokenEncoding = w.Counter.Count(line), w.Counter.Encoding()
		}
	}
}

// episodeOf is an activity of a session in the form of policies.
func episodeOf(activity memory.Activity) (policy.Episode, bool) {
	e := policy.Episode{
		ID: activity.ID, Memory: activity.Memory, Project: activity.Project, Session: activity.Session, At: activity.At, Command: activity.Command, File: activity.File,
	}
	switch activity.Kind {
	case memory.KindFailure:
		e.Outcome, e.Problem = policy.Failed, memory.ErrorReason(activity.Detail)
	case memory.KindCommand:
		e.Outcome = policy.Succeeded
	case memory.KindEdit:
		e.Outcome, e.Command = policy.Edited, ""
	case memory.KindFix:
		e.Outcome, e.Cure = policy.Cured, ingest.CureOf(activity.Detail)
	default:
		return e, false
	}
	whole := e.Project != "" && e.Session != "" && !e.At.IsZero() && (e.Command != "" || e.File != "")
	return e, whole
}

// prune archives the rows that have faded, then those that exceed the budget of their
// scope.
func (w *work) prune(ctx context.Context) error {
	limits := w.Rules
	if w.request.Force {
		limits.LargestShare = 1
	}
	changes, cursor, err := w.changedProjects(ctx)
	if err != nil {
		return err
	}
	if w.request.All && !w.request.DryRun {
		if err := w.reschedule(ctx); err != nil {
			return err
		}
	}
	due, err := w.Store.DueProjects(ctx, w.readings())
	if err != nil {
		return err
	}
	crowded := false
	for _, project := range slices.Sorted(maps.Keys(w.now.ActiveDays)) {
		_, changed := changes[project]
		if !changed && !slices.Contains(due, project) {
			continue
		}
		full, err := w.pruneProject(ctx, project, limits, changed)
		if err != nil {
			return err
		}
		crowded = crowded || full
	}
	if !crowded { // scopes over their budget are looked at again, even if nothing changes
		w.state.Cursor = max(w.state.Cursor, cursor)
	}
	return nil
}

// readings are the readings of all clocks up to which rows are due; policy.Never in a
// dry run over all rows, which reschedules none.
func (w *work) readings() map[string]float64 {
	if !w.request.DryRun || !w.request.All {
		return w.now.ActiveDays
	}
	readings := make(map[string]float64, len(w.now.ActiveDays))
	for project := range w.now.ActiveDays {
		readings[project] = policy.Never
	}
	return readings
}

// reschedule computes again when each row is due: the rules may have changed.
func (w *work) reschedule(ctx context.Context) error {
	return w.scanned(ctx, memory.ScanQuery{Bare: true}, func(rows []memory.Row) error {
		due := map[string]float64{}
		for _, row := range rows {
			on := policy.DueOn(w.resolve(row), w.now, w.Rules)
			if on <= w.now.ActiveDays[clockOf(row)] {
				on = 0
			}
			if needsReschedule(row.DueOn, on) {
				due[row.Memory.ID] = on
			}
		}
		return w.Store.Reschedule(ctx, due)
	})
}

// needsReschedule says whether the stored due time of a row is too early or too late. A row
// that is due at most two days late keeps its time, unless it is due at once: else a full
// run would write every archived row, because the end of its grace in active days moves
// with each inactive day.
func needsReschedule(due, on float64) bool {
	const mostLate = 2
	return due < on || due > on+mostLate || on == 0 && due != 0
}

// pruneProject tells whether a budget scope of the project is still over its budget.
func (w *work) pruneProject(ctx context.Context, project string, limits policy.Rules, changed bool) (bool, error) {
	totals := map[memory.BudgetScope]policy.Total{}
	if err := w.decay(ctx, project, unbounded(limits), totals); err != nil {
		return false, err
	}
	if len(totals) == 0 { // nothing has faded, so only rows over the budget are archived
		if full, err := w.crowded(ctx, project, limits, changed); err != nil || !full {
			return false, err
		}
	}
	if err := w.sum(ctx, project, totals); err != nil {
		return false, err
	}
	crowded := false
	for _, scope := range slices.SortedFunc(maps.Keys(totals), policy.CompareBudgetScopes) {
		if policy.OverBudget(limits, scope, totals[scope]) {
			if err := w.fit(ctx, scope, limits, totals); err != nil {
				return true, err
			}
		}
		crowded = crowded || policy.Crowded(limits, scope, totals[scope])
	}
	return crowded, nil
}

// crowded tells whether a project in which something changed has a budget scope over its
// budget.
func (w *work) crowded(ctx context.Context, project string, limits policy.Rules, changed bool) (bool, error) {
	if !changed {
		return false, nil
	}
	tokens, err := w.Store.BudgetTokens(ctx, project)
	for scope, sum := range tokens {
		if policy.Crowded(limits, scope, policy.Total{Tokens: sum}) {
			return true, err
		}
	}
	return false, err
}

// sum sums up the budget scopes of a project, once.
func (w *work) sum(ctx context.Context, project string, totals map[memory.BudgetScope]policy.Total) error {
	if len(totals) > 0 {
		return nil
	}
	sums, err := w.Store.BudgetTotals(ctx, project, w.now.Time.Add(-rules.Window))
	for _, sum := range sums {
		totals[sum.BudgetScope] = policy.Total{Rows: sum.Rows, Tokens: sum.Tokens, Retired: sum.Retired}
	}
	return err
}

// unbounded are rules without budgets: which rows exceed a budget can only be decided
// on all rows of its scope.
func unbounded(limits policy.Rules) policy.Rules {
	const all = 1 << 50
	limits.ProjectBudget, limits.UserBudget = all, all
	return limits
}

// decay plans for the rows of a project that are due ("": the user's).
func (w *work) decay(ctx context.Context, project string, limits policy.Rules, totals map[memory.BudgetScope]policy.Total) error {
	reading, limit := w.readings()[project], w.pageSize()
	if w.request.DryRun { // a later page reads the earlier ones once more
		limit = dryRunPage
	}
	for {
		if err := w.giveWay(ctx); err != nil {
			return err
		}
		rows, err := w.Store.Due(ctx, project, reading, limit)
		if err != nil || len(rows) == 0 {
			return err
		}
		w.run.Examined += len(rows)
		resolved, plan := w.resolved(rows), policy.Plan{}
		later := w.later(resolved, plan, limits)
		if len(later) < len(rows) { // some may be archived now: how many depends on how many there are
			if plan, err = w.putAway(ctx, project, limits, totals, rows); err != nil {
				return err
			}
			later = w.later(resolved, plan, limits)
		}
		if err := w.Store.Reschedule(ctx, later); err != nil {
			return err
		}
		if len(rows) < limit || len(later)+len(plan.Actions) == 0 {
			return nil
		}
	}
}

// putAway archives the faded rows of a project, and subtracts them from the totals.
func (w *work) putAway(ctx context.Context, project string, limits policy.Rules, totals map[memory.BudgetScope]policy.Total, rows []memory.Row) (policy.Plan, error) {
	if err := w.sum(ctx, project, totals); err != nil {
		return policy.Plan{}, err
	}
	plan, err := policy.Prune(w.now, limits, w.resolved(rows), totals)
	if err != nil {
		return plan, err
	}
	if err := w.commit(ctx, plan, rows, 0); err != nil {
		return plan, err
	}
	policy.Spend(totals, plan)
	return plan, nil
}

// later says when the rows that a plan did not change are due next. Rows that are due
// now and had to wait stay due.
func (w *work) later(rows []policy.Row, plan policy.Plan, limits policy.Rules) map[string]float64 {
	acted := make(map[string]bool, len(plan.Actions))
	for _, a := range plan.Actions {
		acted[a.Memory] = true
	}
	due := map[string]float64{}
	for _, row := range rows {
		if on := policy.DueOn(row, w.now, limits); !acted[row.Memory.ID] && on > w.now.ActiveDays[clockOf(memory.Row(row))] {
			due[row.Memory.ID] = on
		}
	}
	return due
}

// fit archives the weakest rows of a budget scope that is over its budget.
func (w *work) fit(ctx context.Context, scope memory.BudgetScope, limits policy.Rules, totals map[memory.BudgetScope]policy.Total) error {
	if err := w.giveWay(ctx); err != nil {
		return err
	}
	rows, err := w.Store.InSight(ctx, scope)
	if err != nil {
		return err
	}
	w.run.Examined += len(rows)
	plan, err := policy.Prune(w.now, limits, w.resolved(rows), totals)
	if err != nil {
		return err
	}
	policy.Spend(totals, plan)
	cursors := make(map[string]memory.ChangeCursor, len(rows))
	for _, row := range rows {
		cursors[row.Memory.ID] = row.Cursor
	}
	for _, part := range parts(plan, w.pageSize()) {
		if err := w.giveWay(ctx); err != nil {
			return err
		}
		whole, err := w.whole(ctx, part, cursors)
		if err != nil {
			return err
		}
		if err := w.commit(ctx, part, whole, 0); err != nil {
			return err
		}
	}
	return nil
}

// whole reads the texts of the changed rows of a plan that was made without texts. They
// have the cursors of the planned rows: rows that have changed since are left alone.
func (w *work) whole(ctx context.Context, plan policy.Plan, cursors map[string]memory.ChangeCursor) ([]memory.Row, error) {
	ids := make([]string, 0, len(plan.Actions))
	for _, a := range plan.Actions {
		ids = append(ids, a.Memory)
	}
	rows, err := w.rows(ctx, ids)
	for i := range rows {
		rows[i].Cursor = cursors[rows[i].Memory.ID]
	}
	return rows, err
}

// parts splits a plan whose actions do not depend on each other.
func parts(plan policy.Plan, size int) []policy.Plan {
	var all []policy.Plan
	for actions := range slices.Chunk(plan.Actions, size) {
		part := policy.Plan{Actions: actions}
		for _, a := range actions {
			part.TokensFreed += a.Before.TokenCount
		}
		all = append(all, part)
	}
	if len(all) == 0 {
		return []policy.Plan{plan}
	}
	all[0].Notes = plan.Notes
	return all
}
