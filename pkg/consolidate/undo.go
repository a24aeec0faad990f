package consolidate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Undo reverts the changes of a run. It leaves out a memory if somebody has since changed a field that the run
// changed. The undo is a run of its own and can be undone. Later runs do not change the reverted memories.
//
// It fails with memory.ErrNotFound for an unknown run, and with the store's errors.
func (r *Runner) Undo(ctx context.Context, id, trigger string) (memory.Run, error) {
	undone, err := memory.RunOf(ctx, r.Store, id)
	if err != nil {
		return memory.Run{}, err
	}
	return r.withLease(ctx, Request{Job: memory.Undo, Trigger: trigger}, func(w *work, ctx context.Context) error {
		return w.undo(ctx, undone)
	})
}

func (w *work) undo(ctx context.Context, run memory.Run) error {
	if len(run.Actions) == 0 && run.Changed > 0 {
		w.run.Notes = append(w.run.Notes, fmt.Sprintf("run %s changed no memory: there is nothing to put back", run.ID))
	}
	for _, page := range undoPages(run.Actions, w.pageSize()) {
		if err := w.undoPage(ctx, run.ID, page); err != nil {
			return err
		}
	}
	return nil
}

// undoPages splits actions into pages, the last action first. Of two actions on one memory the later is in an earlier page.
func undoPages(actions []memory.Action, size int) [][]memory.Action {
	var pages [][]memory.Action
	var page []memory.Action
	there := map[string]bool{}
	for _, a := range slices.Backward(actions) {
		if len(page) == size || there[a.Memory] {
			pages, page = append(pages, page), nil
			clear(there)
		}
		page, there[a.Memory] = append(page, a), true
	}
	if len(page) > 0 {
		pages = append(pages, page)
	}
	return pages
}

func (w *work) undoPage(ctx context.Context, run string, page []memory.Action) error {
	ids := memoriesOf(page)
	for _, a := range page {
		if a.Kind == memory.ActionAmend { // also read the memories that superseded it before and after the change
			ids = append(ids, a.Before.SupersededBy, a.After.SupersededBy)
		}
	}
	rows, err := w.Store.Rows(ctx, memory.WithIDs(slices.DeleteFunc(memory.Union(ids), func(id string) bool { return id == "" })))
	if err != nil {
		return err
	}
	beside := rowsByID(rows) // rows without an action of their own
	byID := maps.Clone(beside)
	for _, a := range page {
		delete(beside, a.Memory)
	}
	var back []memory.Action
	for _, a := range page {
		w.run.Examined++
		row, exists := byID[a.Memory]
		action, obstacle := inverse(a, row, exists)
		if heir := beside[a.After.SupersededBy]; obstacle == "" && heir.SupersededBy != "" {
			obstacle = "the text in its place has been replaced since"
		}
		if obstacle != "" {
			w.note(fmt.Sprintf("memory %s is left alone: %s", memory.ShortID(a.Memory), obstacle))
			continue
		}
		action.Reason = "undo of " + run
		if a.Reason != "" {
			action.Reason += ": " + a.Reason
		}
		if action.Needs, err = w.editedTo(ctx, beside[needs(action)], page); err != nil {
			return err
		}
		action.Needs = cmp.Or(action.Needs, needs(action))
		back = append(back, w.inPlace(action, beside)...)
	}
	return w.commit(ctx, back)
}

// editedTo returns the id of the last text of an edited memory, or "" if it was not edited. It stops at a memory in page.
func (w *work) editedTo(ctx context.Context, row memory.Row, page []memory.Action) (id string, err error) {
	for rows := []memory.Row{row}; len(rows) > 0 && rows[0].IsEdited() && err == nil; {
		if id = rows[0].SupersededBy; slices.Contains(memoriesOf(page), id) {
			break
		}
		rows, err = w.Store.Rows(ctx, memory.WithIDs{id})
	}
	return id, err
}

// inPlace returns the action of an undo, and actions on two other memories: former superseded the memory before the change, and heir
// supersedes the memory now. former becomes active again if heir had replaced it. An active heir that the change made is archived, so
// that the two texts are not injected together; it stays if no text would then be active.
func (w *work) inPlace(undo memory.Action, beside map[string]memory.Row) []memory.Action {
	all, stands, heir := []memory.Action{undo}, undo.Memory, beside[undo.Before.SupersededBy]
	if former, isThere := beside[undo.After.SupersededBy]; isThere {
		stands = former.Memory.ID
		if is := former.State(); is.SupersededBy != "" && is.SupersededBy == undo.Before.SupersededBy {
			is.SupersededBy, is.Status, is.RetiredAt = "", memory.StatusActive, time.Time{}
			all = []memory.Action{former.Becomes(is, memory.ActionAmend, undo.Reason), undo}
		}
	}
	is := heir.State()
	if is.Status != memory.StatusActive || !is.CreatedAt.Equal(undo.Before.RetiredAt) {
		return all
	}
	is.Status, is.RetiredAt = memory.StatusArchived, w.Now().UTC()
	gone := heir.Becomes(is, memory.ActionAmend, undo.Reason)
	gone.Needs = stands
	return append(all, gone)
}

// countedFields are the numbers of sessions and projects in which a memory was seen. They grow without a change by anybody.
var countedFields = []string{"sessions", "projects"}

// changedSince returns the sentence for people about a field that has another value than an undo expects.
func changedSince(field string) string {
	switch field {
	case "status", "retired_at", "superseded_by", "merged_into", "derived_from":
		return "it was archived, restored or replaced since"
	case "created_at", "last_seen_at", "used_at", "uses":
		return "it was seen or used since"
	case "content", "detail":
		field = "text"
	}
	return "somebody has changed its " + strings.TrimSuffix(field, "ned") + " since" // the field pinned is its pin
}

// inverse returns the action that reverts another, or the reason why it cannot be reverted.
func inverse(a memory.Action, row memory.Row, exists bool) (memory.Action, string) {
	if !exists {
		return a, "it is gone"
	}
	now, fields := row.State(), a.After.Changed(a.Before)
	for _, field := range now.Changed(a.After) {
		if slices.Contains(fields, field) && !slices.Contains(countedFields, field) {
			return a, changedSince(field)
		}
	}
	return memory.Action{
		Memory: a.Memory, Kind: a.Kind, Before: now, After: now.Patch(fields, a.Before), Cursor: row.Cursor,
	}, ""
}
