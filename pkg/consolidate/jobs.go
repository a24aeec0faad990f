package consolidate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// closeLimit is the maximum number of sessions that one run closes. The next run closes more.
const closeLimit = 100

// eachPageOfChanges calls do with each page of the rows that changed since the job's last run, and the cursor after that
// page. With request.All it begins with the first change; if such a run is interrupted, the stored cursor stays as it was.
func (w *work) eachPageOfChanges(ctx context.Context, do func(rows []memory.Row, cursor memory.ChangeCursor) error) error {
	for query := (memory.ChangeQuery{After: w.state.Cursor, Limit: w.pageSize()}); ; {
		w.advance(query.After)
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
		if query.After = page.Cursor; page.Last {
			w.advance(query.After)
			return nil
		}
	}
}

// close ends the sessions without an event for CloseAfter, at the time of their last event. A later start or prompt opens them again.
func (w *work) close(ctx context.Context) error {
	idle, err := w.Store.Sessions(ctx, memory.IdleSessions{Since: w.Now().Add(-w.CloseAfter), Limit: closeLimit})
	if err != nil {
		return err
	}
	w.run.Examined = len(idle)
	for _, s := range idle {
		if err := w.closeSession(ctx, s); err != nil {
			return err
		}
		w.run.Changed++
	}
	return nil
}

// closeSession summarises and ends a session in one write, because an ended session is not examined again.
func (w *work) closeSession(ctx context.Context, s memory.Session) error {
	record, err := memory.RecordOf(ctx, w.Store, s.ID)
	if err != nil {
		return err
	}
	// Ingest does not check the lease: extend it first. If it is lost later, ctx ends.
	if _, err := w.Store.Lease(ctx, *w.lease, w.LeaseTime()); err != nil {
		return err
	}
	s.State, s.EndedAt, s.EndReason = memory.SessionAbandoned, s.LastEventAt, "silent"
	s.StateAt = s.LastEventAt.Add(1) // just after the event that opened the session
	return w.Store.Ingest(ctx, memory.Batch{
		Sessions: []memory.Session{s}, Summaries: []memory.SessionSummary{{
			Session: s.ID,
			Summary: ingest.Summary(record, w.Counter),
		}},
	})
}

// planTogether returns a job that compares rows with equal keys, within a project or, with isEverywhere, in all
// projects. It calls plan for each page of rows that changed since the last run. plan gets every row that shares its
// key with a changed row and, with isEverywhere, all changed rows.
func planTogether(
	keyOf func(memory.Row) string, isEverywhere bool, plan func([]memory.Row) policy.Plan,
) func(*work, context.Context) error {
	return func(w *work, ctx context.Context) error {
		alike := sharedKeys{work: w, keyOf: keyOf, isEverywhere: isEverywhere, ids: map[string]map[string]bool{}, read: map[string]bool{}}
		return w.eachPageOfChanges(ctx, func(rows []memory.Row, cursor memory.ChangeCursor) error {
			if err := alike.add(ctx, rows); err != nil {
				return err
			}
			all, err := w.Store.Rows(ctx, alike.gathered(rows))
			if err == nil {
				made := plan(all)
				w.note(made.Notes...)
				w.advance(cursor)
				err = w.commit(ctx, w.planned(made.Actions, all))
			}
			return err
		})
	}
}

// sharedKeys finds, during one run, the rows with equal keys.
type sharedKeys struct {
	*work
	keyOf        func(memory.Row) string // returns "" for a row that shares no key
	isEverywhere bool
	ids          map[string]map[string]bool // by key
	read         map[string]bool            // projects whose active rows are in ids
}

// add adds changed rows, and the active rows of projects that may have the same keys.
func (l *sharedKeys) add(ctx context.Context, rows []memory.Row) error {
	projects := map[string]bool{}
	for _, row := range rows {
		if key := l.keyOf(row); key != "" {
			projects[row.Memory.Project] = true
		}
	}
	if l.isEverywhere && len(projects) > 0 {
		for project := range l.now.Clocks {
			projects[project] = true
		}
	}
	for project := range projects {
		if l.read[project] {
			continue
		}
		active, err := l.active(ctx, project)
		if err != nil {
			return err
		}
		l.read[project], rows = true, append(rows, active...)
	}
	for _, row := range rows {
		if key := l.keyOf(row); key != "" {
			if l.ids[key] == nil {
				l.ids[key] = map[string]bool{}
			}
			l.ids[key][row.Memory.ID] = true
		}
	}
	return nil
}

// gathered returns the ids of all rows that share a key with one of the given rows. With isEverywhere it adds the ids of the given rows.
func (l *sharedKeys) gathered(rows []memory.Row) memory.WithIDs {
	ids := map[string]bool{}
	for _, row := range rows {
		if l.isEverywhere {
			ids[row.Memory.ID] = true
		}
		if alike := l.ids[l.keyOf(row)]; len(alike) > 1 {
			maps.Copy(ids, alike)
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// prune archives memories that are too weak, then the weakest of each scope above its token budget, and deletes old events.
func (w *work) prune(ctx context.Context) error {
	for n := -1; n < w.run.Changed; { // an archived memory may have been the reason to keep memories of other projects
		n = w.run.Changed
		neededFor, err := w.neededFor(ctx)
		if err != nil {
			return err
		}
		for _, project := range slices.Sorted(maps.Keys(w.now.Clocks)) {
			if err := w.pruneProject(ctx, project, neededFor); err != nil {
				return err
			}
		}
	}
	return w.deleteEvents(ctx)
}

// neededFor returns, by a memory's id, the active memories for which it must stay: those that it superseded, and for a
// sentence of the user also the lines that the sentence may correct. Without it they would be injected as if they still held.
func (w *work) neededFor(ctx context.Context) (map[string][]string, error) {
	is, fading, lines, all := map[string][]string{}, map[string][]memory.Memory{}, map[string][]memory.Memory{}, 0
	for project := range w.now.Clocks {
		rows, err := w.active(ctx, project)
		if err != nil {
			return nil, err
		}
		all += len(rows)
		for _, row := range rows {
			is[row.SupersededBy] = append(is[row.SupersededBy], row.Memory.ID)
			if row.Memory.IsUsersWord() && !policy.Protected(row) {
				fading[project] = append(fading[project], row.Memory)
			}
			if row.Memory.IsUsersWord() || row.Memory.IsFact() {
				lines[project] = append(lines[project], row.Memory)
			}
		}
	}
	w.run.Examined = max(w.run.Examined, all)
	for project, some := range fading {
		beside := [][]memory.Memory{lines[project], lines[""]}
		if project == "" {
			beside = slices.Collect(maps.Values(lines))
		}
		words := recall.SentencesOf(some, recall.CoreOf)
		for _, line := range slices.Concat(beside...) {
			for _, m := range words.NewerThan(line) {
				is[m.ID] = append(is[m.ID], line.ID)
			}
		}
	}
	return is, nil
}

// active returns the active rows of a project, or, for "", of the user.
func (w *work) active(ctx context.Context, project string) ([]memory.Row, error) {
	return w.Store.Rows(ctx, memory.Page{Project: project, Status: memory.StatusActive, Limit: math.MaxInt32})
}

// pruneProject prunes the memories of a project, or, for "", of the user.
func (w *work) pruneProject(ctx context.Context, project string, neededFor map[string][]string) error {
	rows, err := w.active(ctx, project)
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Memory = render.WithTokenCount(rows[i].Memory, w.Counter)
	}
	plan := policy.Prune(w.now, cmp.Or(w.Limits, policy.UsualLimits()), rows, neededFor)
	w.note(plan.Notes...)
	for actions := range slices.Chunk(w.planned(plan.Actions, rows), w.pageSize()) {
		if err := w.commit(ctx, actions); err != nil {
			return err
		}
	}
	return nil
}

// oldAtOnce is the number of rows of events that one transaction deletes.
const oldAtOnce = 200

// deleteEvents deletes old events. What was derived from them stays: facts, fixes and session summaries.
func (w *work) deleteEvents(ctx context.Context) error {
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
