package dashboard

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// change changes one memory as a form asks.
func (p *pages) change(v *visit) (done, run string) {
	done, change, err := changeOf(v.Request)
	if v.err = err; err != nil {
		return "", ""
	}
	now := p.Now()
	change.ID, change.At, change.By = memory.NewEventID(now), now.UTC(), memory.ByDashboard
	change.Reason = memory.OneLine(v.PostFormValue("reason"))
	result := ask(v, agentapi.MethodAmend, agentapi.AmendParams{Project: v.project, ID: v.PathValue("id"), Change: change})
	if !result.Changed() {
		return "same", ""
	}
	return done, change.ID
}

// changeOf is the change that a form asks for, and the name of the notice about it.
func changeOf(r *http.Request) (done string, c memory.Change, err error) {
	switch do := r.PostFormValue("do"); do {
	case "pin":
		return "pinned", memory.Change{Pinned: new(true)}, nil
	case "unpin":
		return "unpinned", memory.Change{Pinned: new(false)}, nil
	case "forget":
		return "forgot", memory.Change{Status: memory.StatusArchived}, nil
	case "restore":
		return "restored", memory.Change{Status: memory.StatusActive}, nil
	case "edit":
		text := strings.TrimSpace(r.PostFormValue("content"))
		if text == "" {
			return "", c, fmt.Errorf("the new text is empty: %w", memory.ErrInvalid)
		}
		return "edited", memory.Change{Content: text}, nil
	case "weigh":
		importance, err := strconv.ParseFloat(r.PostFormValue("importance"), 64)
		if err != nil {
			return "", c, fmt.Errorf("importance %q is no number from 0 to 1: %w", r.PostFormValue("importance"), memory.ErrInvalid)
		}
		return "weighed", memory.Change{Importance: &importance}, nil
	case "tag":
		return "tagged", memory.Change{AddTags: tags(r.PostFormValue("add")), RemoveTags: tags(r.PostFormValue("remove"))}, nil
	case "confirm":
		return "confirmed", memory.Change{AddTags: []string{memory.TagConfirmed}, Importance: new(memory.ConfirmedImportance)}, nil
	case "reject":
		return "rejected", memory.Change{Status: memory.StatusArchived, AddTags: []string{memory.TagRejected}}, nil
	case "promote":
		return "promoted", memory.Change{Scope: memory.Scope(r.PostFormValue("scope"))}, nil
	default:
		return "", c, fmt.Errorf("nothing is called %q: %w", do, memory.ErrInvalid)
	}
}

// tags are words of a form, apart by blanks or commas.
func tags(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
}

// undo reverts a run.
func (p *pages) undo(v *visit) (done, run string) {
	ask(v, agentapi.MethodUndo, agentapi.UndoParams{Run: v.PostFormValue("run"), Trigger: memory.ByDashboard})
	return "undone", ""
}
