package intake

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// applyDecisions carries out what another machine has decided about the memories that it sent, each decision as a run
// that can be undone. It returns the changed memories. known has this store's rows from before the letter.
func (in *Intake) applyDecisions(ctx context.Context, fates map[string]memory.Fate, sent []memory.Memory, known map[string]memory.Row) (changed []memory.Memory, err error) {
	there, ids := map[string]memory.Memory{}, []string(nil)
	for _, m := range sent {
		if _, isLetter := fates[m.ID]; isLetter {
			there[m.ID], ids = m, append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	decisions, err := in.Store.Decisions(ctx, ids)
	if err != nil {
		return nil, err
	}
	last := memory.LastDecisions(decisions)
	for len(ids) > 0 {
		id := ids[0]
		rows, err := in.Store.Rows(ctx, memory.WithIDs{id}) // read again: another decision may have changed the row
		if err != nil {
			return changed, err
		}
		var after memory.State
		var fields []string
		var at time.Time
		if len(rows) > 0 {
			after, fields, at = fates[id].Settle(rows[0], there[id], last[id], known[id].Memory.LastSeenAt)
		}
		if at.IsZero() {
			ids = ids[1:]
			continue
		}
		row := rows[0]
		its := memory.Decided{}
		for _, field := range fields {
			its[field] = at
		}
		if row.IsEdited() { // bequeath comes first: if the letter is interrupted in between, it is read again, and then skips rows that are decided
			heirs, failed := in.bequeath(ctx, row.With(after), its)
			changed, err = append(changed, heirs...), failed
		}
		if err == nil {
			err = in.decide(ctx, row, after, fields, at, row.Rejected || fates[id].Rejected, memory.BySync, elsewhere)
		}
		if errors.Is(err, memory.ErrConflict) {
			continue
		}
		if err != nil {
			return changed, err
		}
		if last[id] == nil {
			last[id] = memory.Decided{}
		}
		maps.Copy(last[id], its)
		isSaid := after.SupersededBy == "" && at.Equal(fates[id].Seen) // the user said it again on the other machine
		if row.SupersededBy != "" && row.SupersededBy != after.SupersededBy && (isSaid || after.SupersededBy != "") {
			earlier, err := in.supersede(ctx, row.SupersededBy, cmp.Or(after.SupersededBy, id), at, isSaid)
			if changed = append(changed, earlier...); err != nil {
				return changed, err
			}
		}
		changed = append(changed, row.With(after).Memory)
	}
	return changed, nil
}

// supersede settles two corrections of one memory, made on two machines: the later one supersedes the earlier one and archives it. With isSaid, later is the
// corrected memory itself, which the user said again; then earlier is not archived, and it is left unchanged if it is pinned or was said still later. supersede returns the changed memories.
func (in *Intake) supersede(ctx context.Context, earlier, later string, at time.Time, isSaid bool) (changed []memory.Memory, err error) {
	for {
		rows, err := in.Store.Rows(ctx, memory.WithIDs{earlier})
		if err != nil || len(rows) == 0 || rows[0].SupersededBy != "" || !rows[0].Memory.IsRecallable() || isSaid && (rows[0].Memory.Pinned || rows[0].Memory.LastSeenAt.After(at)) {
			return nil, err
		}
		after := rows[0].State()
		if after.SupersededBy = later; !isSaid {
			after.Status, after.RetiredAt = memory.StatusArchived, at
		}
		decisions, err := in.Store.Decisions(ctx, []string{earlier})
		if err != nil {
			return nil, err
		}
		var heirs []memory.Memory
		if !isSaid {
			heirs, err = in.bequeath(ctx, rows[0].With(after), memory.LastDecisions(decisions)[earlier])
		}
		if err == nil {
			err = in.decide(ctx, rows[0], after, nil, at, true, memory.BySync, elsewhere)
		}
		if changed = append(changed, heirs...); !errors.Is(err, memory.ErrConflict) {
			return append(changed, rows[0].With(after).Memory), err
		}
	}
}

// bequeath copies decisions about the edited memory left to the memory with the new text, unless that has later decisions. It returns the changed memories.
func (in *Intake) bequeath(ctx context.Context, left memory.Row, decided memory.Decided) (changed []memory.Memory, err error) {
	heir := left.SupersededBy
	for _, field := range memory.InheritedFields() {
		rows, err := in.Store.Rows(ctx, memory.WithIDs{heir})
		if err != nil || len(rows) == 0 {
			return changed, err
		}
		decisions, err := in.Store.Decisions(ctx, []string{heir})
		if err != nil {
			return changed, err
		}
		after, at := left.CopyFieldTo(rows[0], field), decided[field]
		if !at.After(memory.LastDecisions(decisions)[heir][field]) {
			continue
		}
		if rows[0].IsEdited() {
			heirs, err := in.bequeath(ctx, rows[0].With(after), memory.Decided{field: at})
			if changed = append(changed, heirs...); err != nil {
				return changed, err
			}
		}
		if err := in.decide(ctx, rows[0], after, []string{field}, at, rows[0].Rejected, memory.BySync, elsewhere); err != nil {
			return changed, err
		}
		changed = append(changed, rows[0].With(after).Memory)
	}
	return changed, nil
}

// elsewhere is the reason of a decision that sync brought.
const elsewhere = "decided on another machine"

// decide stores a decision as a run, with its author (by) and reason. The decision is about fields, or if these are
// empty, about the fields that change. It fails with memory.ErrConflict if the row was changed meanwhile.
func (in *Intake) decide(ctx context.Context, row memory.Row, after memory.State, fields []string, at time.Time, isRejected bool, by, reason string) error {
	isRejected = isRejected && after.Status == memory.StatusArchived
	run := memory.Run{ID: memory.NewEventID(at), Job: memory.Amend, Trigger: by, StartedAt: at, EndedAt: at, Examined: 1}
	if len(after.Changed(row.State())) > 0 {
		run.Changed = 1
	}
	a := row.Becomes(after, memory.ActionAmend, reason)
	a.ID, a.Fields, a.Rejected = run.ID+"-0", fields, &isRejected
	run.Actions = []memory.Action{a}
	missed, err := in.Store.Commit(ctx, memory.Commit{Run: run})
	if err == nil && slices.Contains(missed, a.Memory) {
		err = memory.ErrConflict
	}
	return err
}
