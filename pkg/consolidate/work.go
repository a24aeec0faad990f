package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// ErrDone means that the job has already run for this slot, in this daemon or another.
var ErrDone = errors.New("the job has already run for this scheduled time")

// Store has the methods of the store that maintenance needs; package storetest describes each.
type Store interface {
	memory.RowReader
	memory.TotalsReader
	memory.KeyReader
	memory.RunReader
	memory.SessionLister
	memory.RecordReader
	Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error)
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error) // reads old events
	Commit(ctx context.Context, c memory.Commit) (skipped []string, err error)
	Ingest(ctx context.Context, b memory.Batch) error
	memory.Leaser // keeps other daemons from running a job at the same time
}

// Runner runs jobs on a store.
type Runner struct {
	Store      Store
	Counter    memory.TokenCounter
	Limits     policy.Limits // limits of the job prune; zero: policy.UsualLimits
	Now        func() time.Time
	Log        *slog.Logger
	CloseAfter time.Duration // how long a session must be without an event before it is closed
	KeepEvents time.Duration // maximum age of events; 0 for no limit
	// Lease is how long a job may stall before another daemon may take it over; 0 for a minute.
	Lease time.Duration
	// Page is the number of rows that a step handles in one transaction; 0 for 1000, a few megabytes.
	Page int
	// Refresh, if set, is called with the ids of the memories that a step changed.
	Refresh func(ctx context.Context, ids []string)
}

func (r *Runner) pageSize() int { return cmp.Or(r.Page, 1000) }

// Request names the job to run, and its options.
type Request struct {
	Job     string
	Trigger string // cron, idle, session_end, manual
	// Slot is the time for which a scheduled run was due; zero for other runs. Only the first daemon of the store runs a slot.
	Slot time.Time
	// All makes the job examine every memory, not only changed ones.
	All bool
}

// withLease acquires the job's lease, runs do, and records the run's end.
func (r *Runner) withLease(ctx context.Context, request Request, do func(*work, context.Context) error) (memory.Run, error) {
	started := r.Now().UTC()
	w := &work{
		Runner: r, request: request, state: memory.JobState{Job: request.Job},
		run: memory.Run{ID: memory.NewEventID(started), Job: request.Job, Trigger: request.Trigger, StartedAt: started},
	}
	lease, err := r.Store.Lease(ctx, memory.Lease{Name: "job-" + request.Job, Holder: w.run.ID}, r.LeaseTime())
	if err != nil {
		return memory.Run{}, fmt.Errorf("run %s: %w", request.Job, err)
	}
	w.lease = &lease
	ctx, release := memory.HoldLease(ctx, r.Store, lease, r.LeaseTime()) // ctx ends when the lease is lost
	defer func() { _ = release() }()                                     // after an error the lease expires by itself
	if w.state, err = memory.StateOf(ctx, r.Store, request.Job); err != nil {
		return memory.Run{}, fmt.Errorf("run %s: %w", request.Job, err)
	}
	if !request.Slot.IsZero() && !w.state.Slot.Before(request.Slot) {
		return memory.Run{}, fmt.Errorf("run %s for %s: %w", request.Job, request.Slot, ErrDone)
	}
	if err := w.endInterrupted(ctx); err != nil {
		return memory.Run{}, fmt.Errorf("run %s: %w", request.Job, err)
	}
	err = w.do(ctx, do)
	return w.run, errors.Join(err, w.finish(ctx, err))
}

// work is one run of a job.
type work struct {
	*Runner
	request Request
	run     memory.Run
	state   memory.JobState
	lease   *memory.Lease
	now     policy.Now
	numbers int // number of actions so far
}

// do runs the job. It turns a panic into an error, so that it ends neither the daemon nor the schedule.
func (w *work) do(ctx context.Context, do func(*work, context.Context) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%s panicked, which is a bug: %v", w.request.Job, cause)
			if w.Log != nil {
				w.Log.Error("maintenance panicked", "job", w.request.Job, "cause", cause, "stack", string(debug.Stack()))
			}
		}
	}()
	if w.request.All {
		w.state.Cursor = 0
	}
	if err := do(w, ctx); err != nil {
		return fmt.Errorf("%s: %w", w.request.Job, err)
	}
	return nil
}

// LeaseTime returns how long a job may stall before another daemon may take it over.
func (r *Runner) LeaseTime() time.Duration { return cmp.Or(r.Lease, time.Minute) }

// releaseTime is the time limit for recording the end of a run that has failed.
const releaseTime = 2 * time.Second

// note adds notes that the run does not have yet.
func (w *work) note(notes ...string) {
	w.run.Notes = memory.AddNew(w.run.Notes, notes...)
}

func (w *work) advance(to memory.ChangeCursor) { w.state.Cursor = max(w.state.Cursor, to) }

// commit stores actions with the job's state, and counts them.
func (w *work) commit(ctx context.Context, actions []memory.Action) error {
	if len(actions) == 0 {
		return nil
	}
	for i := range actions {
		actions[i].ID = fmt.Sprintf("%s-%06d", w.run.ID, w.numbers)
		w.numbers++
	}
	w.countIn(actions, 1)
	step := w.run
	step.Actions = actions
	skipped, err := w.Store.Commit(ctx, memory.Commit{Run: step, Job: w.checkpoint(), Lease: w.lease, Exempt: w.request.Job == memory.Undo})
	if err != nil {
		return err
	}
	applied := w.applied(actions, skipped)
	w.run.Actions = append(w.run.Actions, applied[:min(len(applied), mostReturned-len(w.run.Actions))]...)
	if w.Refresh != nil {
		w.Refresh(ctx, memoriesOf(actions))
	}
	return nil
}

// mostReturned is the maximum number of actions that Run returns, because all those of a large store would fill the RAM.
const mostReturned = 1000

// checkpoint returns the job's state after a step; nil for an undo. The slot is recorded only when the whole job is done.
func (w *work) checkpoint() *memory.JobState {
	if w.request.Job == memory.Undo {
		return nil
	}
	state := w.state
	return &state
}

// applied returns the committed actions, and subtracts actions on skipped memories from the run's counts.
func (w *work) applied(actions []memory.Action, skipped []string) []memory.Action {
	if len(skipped) == 0 {
		return actions
	}
	w.run.Notes = append(w.run.Notes,
		fmt.Sprintf("left alone, because they changed meanwhile or somebody had undone it: %d", len(skipped)))
	var applied, left []memory.Action
	for _, a := range actions {
		if slices.Contains(skipped, a.Memory) {
			left = append(left, a)
		} else {
			applied = append(applied, a)
		}
	}
	w.countIn(left, -1)
	return applied
}

// countIn adds actions to the run's counts, or subtracts them if times is -1. An undo frees no tokens.
func (w *work) countIn(actions []memory.Action, times int) {
	w.run.Changed += times * len(actions)
	for _, a := range actions {
		w.run.TokensFreed += times * a.Freed
	}
}

func memoriesOf(actions []memory.Action) []string {
	return memory.Each(actions, func(a memory.Action) string { return a.Memory })
}

// finish records the end of the run. A scheduled run that found nothing to examine is not recorded.
func (w *work) finish(ctx context.Context, failure error) error {
	w.run.EndedAt = w.Now().UTC()
	if failure != nil {
		w.run.Error = failure.Error()
		// Record the failure even if the caller has given up or the lease is lost.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
	}
	end := memory.Commit{Run: w.run}
	end.Run.Actions = nil
	if failure == nil { // otherwise the job's state stays as its last step left it
		end.Lease, end.Job = w.lease, w.checkpoint()
		if end.Job != nil && w.request.Slot.After(end.Job.Slot) {
			end.Job.Slot = w.request.Slot
		}
	}
	if failure == nil && w.numbers == 0 && w.run.Examined == 0 && !w.request.Slot.IsZero() {
		end.Run = memory.Run{}
	}
	if _, err := w.Store.Commit(ctx, end); err != nil {
		return fmt.Errorf("record the end of %s: %w", w.request.Job, err)
	}
	return nil
}

// planned returns the actions of a plan for rows with their groups, their needs and the tokens that they free.
func (w *work) planned(actions []memory.Action, rows []memory.Row) []memory.Action {
	byID := rowsByID(rows)
	for i := range actions {
		a := &actions[i]
		a.Needs = needs(*a)
		if a.Before.Status == memory.StatusActive && a.After.Status != memory.StatusActive {
			a.Freed = w.Counter.Count(render.Line(byID[a.Memory].Memory))
		}
	}
	group(actions)
	return actions
}

func rowsByID(rows []memory.Row) map[string]memory.Row {
	byID := make(map[string]memory.Row, len(rows))
	for _, row := range rows {
		byID[row.Memory.ID] = row
	}
	return byID
}

// group makes the actions of all memories that are merged into one a group: a group is committed as a whole or not at all.
func group(actions []memory.Action) {
	survivors := map[string]bool{}
	for i, a := range actions {
		if a.After.MergedInto != a.Before.MergedInto && a.After.MergedInto != "" {
			actions[i].Group, survivors[a.After.MergedInto] = a.After.MergedInto, true
		}
	}
	for i, a := range actions {
		if survivors[a.Memory] {
			actions[i].Group = a.Memory
		}
	}
}

// needs returns the id of the memory that must be active when the action is applied, so that no text is lost; "" for none.
func needs(a memory.Action) string {
	switch {
	case a.After.MergedInto != a.Before.MergedInto:
		return a.After.MergedInto
	case a.After.SupersededBy != a.Before.SupersededBy:
		return a.After.SupersededBy
	}
	return ""
}

// endInterrupted ends the open runs of the job: nobody continues them while this daemon holds the lease.
func (w *work) endInterrupted(ctx context.Context) error {
	open, err := w.Store.Runs(ctx, memory.RunQuery{Open: true})
	if err != nil {
		return fmt.Errorf("interrupted runs cannot be read from the store: %w", err)
	}
	for _, run := range open {
		if run.Job != w.request.Job {
			continue
		}
		run.EndedAt, run.Error = w.Now().UTC(), "interrupted: its commits stay, and the next run continues from there"
		if _, err := w.Store.Commit(ctx, memory.Commit{Run: run, Lease: w.lease}); err != nil {
			return fmt.Errorf("end the interrupted run %s: %w", run.ID, err)
		}
	}
	return nil
}
