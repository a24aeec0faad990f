package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
)

// Runner makes the agent's runner of maintenance jobs.
func (a *Agent) Runner() *consolidate.Runner {
	return &consolidate.Runner{
		Store: a.Store, Counter: a.Counter, Rules: Rules(a.Config.Maintenance.Rules), Now: a.Now, Log: a.Log,
		CloseAfter: a.Config.Maintenance.CloseAfter, Lease: a.Config.Maintenance.Lease, Refresh: a.changed,
	}
}

// Rules are the rules of policies as they are configured.
func Rules(c config.Rules) policy.Rules {
	rules := policy.DefaultRules()
	rules.Strength = policy.StrengthRules(c.Strength)
	p := c.Pruning
	rules.Pruning = policy.PruningRules{
		ArchiveBelow: p.ArchiveBelow, BarelyUsed: p.BarelyUsed, ForgetBelow: p.ForgetBelow, Grace: p.Grace,
		ProjectBudget: p.ProjectBudget, UserBudget: p.UserBudget, LargestShare: p.LargestShare, Window: p.Window,
	}
	rules.Promotion = policy.PromotionRules(c.Promotion)
	rules.Dedup.Similarity = c.Dedup.Similarity
	rules.Distil.Episodes, rules.Distil.TogetherShare = c.Distil.Episodes, c.Distil.TogetherShare
	return rules
}

// Maintain runs one maintenance job now.
func (a *Agent) Maintain(ctx context.Context, request consolidate.Request) (memory.Run, error) {
	run, err := a.Runner().Run(ctx, request)
	if err != nil {
		return run, err
	}
	if run.Examined > 0 || request.Trigger == triggerManual {
		a.Log.Info("maintenance ran", "job", request.Job, "trigger", request.Trigger, "examined", run.Examined,
			"changed", run.Changed, "tokens freed", run.TokensFreed, "took", run.EndedAt.Sub(run.StartedAt))
	}
	return run, nil
}

// Consolidate runs one maintenance job or all of them, in their order. A dry run
// plans each on the store as it is and changes no memory.
func (a *Agent) Consolidate(ctx context.Context, p agentapi.ConsolidateParams) ([]memory.Run, error) {
	jobs := consolidate.Jobs()
	if p.Job != "" {
		jobs = []string{p.Job}
	}
	runs := []memory.Run{}
	for _, job := range jobs {
		run, err := a.maintainSoon(ctx, consolidate.Request{
			Job: job, Trigger: p.Trigger, DryRun: p.DryRun, Force: p.Force, All: p.All,
		})
		if err != nil {
			return runs, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// How long somebody who asks for a job waits for one that is running, and how
// often it is looked whether it has ended.
const (
	heldTime = 20 * time.Second
	heldPoll = 100 * time.Millisecond
)

// maintainSoon runs a job, after the one that may be running already: an agent
// that has just started runs what it has missed.
func (a *Agent) maintainSoon(ctx context.Context, request consolidate.Request) (memory.Run, error) {
	for until := a.Now().Add(heldTime); ; {
		run, err := a.Maintain(ctx, request)
		if !errors.Is(err, memory.ErrHeld) {
			return run, err
		}
		if a.Now().After(until) || !wait(ctx, heldPoll) {
			return run, fmt.Errorf("%s is being run already, try again when it is done: %w", request.Job, err)
		}
	}
}

// Undo puts back what a run has changed.
func (a *Agent) Undo(ctx context.Context, p agentapi.UndoParams) (memory.Run, error) {
	return a.Runner().Undo(ctx, p.Run, p.Trigger)
}

// RunWithActions returns a run with all it did.
func (a *Agent) RunWithActions(ctx context.Context, id string) (memory.Run, error) {
	return a.Store.Run(ctx, id)
}

// changed has recall and the start of sessions see what maintenance changed.
func (a *Agent) changed(ctx context.Context, ids []string) {
	rows, err := a.Store.Rows(ctx, ids)
	if err != nil {
		a.Log.Warn("recall does not see what maintenance changed, it is loaded anew", "error", err)
		a.forgetHeld()
		return
	}
	there := make(map[string]bool, len(rows))
	changed := make([]memory.Memory, 0, len(rows))
	for _, row := range rows {
		there[row.Memory.ID] = true
		changed = append(changed, row.Memory)
		a.indexes.move(row)
	}
	for _, id := range ids {
		if !there[id] {
			a.indexes.remove(id)
		}
	}
	a.restock(ctx, changed, nil)
}

// move brings a row into the indexes it belongs to now, and out of the others.
func (x *indexes) move(row memory.Row) {
	for project, entry := range x.all() {
		if row.Memory.Project == "" || row.Memory.Project == project {
			entry.put(row)
		} else {
			entry.remove(row.Memory.ID)
		}
	}
}

func (x *indexes) remove(id string) {
	for _, entry := range x.all() {
		entry.remove(id)
	}
}

func (e *projectIndex) remove(id string) {
	e.once.Lock()
	defer e.once.Unlock()
	if e.index != nil {
		e.puts++
		e.index.Remove(id)
	}
}
