package intake

import (
	"context"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
)

// Kept ingests what is spooled and returns what an event has become.
func (in *Intake) Kept(ctx context.Context, e memory.Event) (memory.Memory, error) {
	if err := e.Validate(); err != nil {
		return memory.Memory{}, err
	}
	if _, err := in.Ingest(ctx); err != nil {
		return memory.Memory{}, err
	}
	batch := ingest.Batch(in.cleanEvents([]memory.Event{e}), in.Counter)
	if len(batch.Memories) == 0 {
		return memory.Memory{}, fmt.Errorf("an event of the kind %s is no memory: %w", e.Kind, memory.ErrInvalid)
	}
	m, err := in.Store.Memory(ctx, batch.Memories[0].ID)
	return render.Counted(m, in.Counter), err
}

// Amend changes a memory and tells the readers.
func (in *Intake) Amend(ctx context.Context, p agentapi.AmendParams) (agentapi.AmendResult, error) {
	old, err := memory.Visible(ctx, in.Store, p.Project, p.ID)
	if err != nil {
		return agentapi.AmendResult{}, err
	}
	p.Change = cleanChange(p.Change, in.clean)
	if err := mayRelease(old, p.Change); err != nil {
		return agentapi.AmendResult{}, err
	}
	next, err := p.Change.Apply(old)
	if err != nil {
		return agentapi.AmendResult{}, err
	}
	p.Change.Count = memory.TokenCount{Tokens: in.Counter.Count(render.Line(next)), Encoding: in.Counter.Encoding()}
	return in.amend(ctx, old.ID, p.Change)
}

// mayRelease refuses that anybody but a person brings what reads like an instruction
// back into sight, or words it anew: the instruction itself may ask a model for that.
func mayRelease(old memory.Memory, c memory.Change) error {
	if c.By == memory.ByPerson {
		return nil
	}
	isHidden := old.Status == memory.StatusQuarantined || old.Status == memory.StatusArchived && old.Source != memory.SourceUser
	if c.Status == memory.StatusActive && isHidden && len(quarantine.Judge(old.Content)) > 0 {
		return fmt.Errorf("memory %s reads like an instruction that no user gave: only a person releases it, in a terminal, by memory quarantine release %s: %w",
			memory.ShortID(old.ID), memory.ShortID(old.ID), memory.ErrInvalid)
	}
	if c.Content != "" && len(quarantine.Judge(c.Content)) > 0 {
		return fmt.Errorf("the new content of memory %s reads like an instruction that no user gave (%s): nothing was changed: %w",
			memory.ShortID(old.ID), strings.Join(quarantine.Judge(c.Content), ", "), memory.ErrInvalid)
	}
	return nil
}

func (in *Intake) amend(ctx context.Context, id string, c memory.Change) (agentapi.AmendResult, error) {
	before, after, err := in.Changes.Amend(ctx, id, c)
	if err != nil {
		return agentapi.AmendResult{}, err
	}
	in.Log.Info("a memory was changed", "memory", id, "by", c.By, "now", after.ID, "status", after.Status)
	in.publish(ctx, Committed{Memories: []memory.Memory{before, after}})
	return agentapi.AmendResult{Before: before, After: after}, nil
}

// revive brings back what somebody asked to be kept once more after it had been
// put away.
func (in *Intake) revive(ctx context.Context, written []memory.Memory) error {
	var ids []string
	for _, m := range written {
		if m.Kind.UserAuthored() && m.Status != memory.StatusQuarantined {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := in.Store.Rows(ctx, ids)
	if err != nil {
		return err
	}
	for _, row := range found {
		m := row.Memory
		if m.Status != memory.StatusArchived {
			continue
		}
		now := in.Now().UTC()
		back := memory.Change{ID: memory.NewEventID(now), At: now, By: "ingest", Reason: "asked for again", Status: memory.StatusActive}
		if _, _, err := in.Changes.Amend(ctx, m.ID, back); err != nil {
			return err
		}
	}
	return nil
}
