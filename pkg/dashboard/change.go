package dashboard

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// change changes one memory as a form asks, and leads back to where the form was.
func (p *pages) change(w http.ResponseWriter, r *http.Request) {
	v, err := p.visit(r)
	if err != nil {
		p.fail(w, v, r, err)
		return
	}
	done, change, err := changeOf(r)
	if err != nil {
		p.fail(w, v, r, err)
		return
	}
	now := p.now()
	change.ID, change.At, change.By = memory.NewEventID(now), now.UTC(), memory.ByDashboard
	change.Reason = memory.OneLine(r.PostFormValue("reason"))
	result, err := ask(r.Context(), p.agent, agentapi.MethodAmend, agentapi.AmendParams{Project: v.project, ID: r.PathValue("id"), Change: change})
	switch {
	case err != nil:
		p.fail(w, v, r, err)
	case !result.Changed():
		p.back(w, r, "same", "")
	default:
		p.back(w, r, done, change.ID)
	}
}

// changeOf is the change that a form asks for, and the name of the notice about it.
func changeOf(r *http.Request) (done string, c memory.Change, err error) {
	yes, no := true, false
	switch do := r.PostFormValue("do"); do {
	case "pin":
		return "pinned", memory.Change{Pinned: &yes}, nil
	case "unpin":
		return "unpinned", memory.Change{Pinned: &no}, nil
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
		importance := memory.ConfirmedImportance
		return "confirmed", memory.Change{AddTags: []string{memory.TagConfirmed}, Importance: &importance}, nil
	case "reject":
		return "rejected", memory.Change{Status: memory.StatusArchived, AddTags: []string{memory.TagPutAway}}, nil
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
func (p *pages) undo(w http.ResponseWriter, r *http.Request) {
	v, err := p.visit(r)
	if err == nil {
		_, err = ask(r.Context(), p.agent, agentapi.MethodUndo, agentapi.UndoParams{Run: r.PostFormValue("run"), Trigger: memory.ByDashboard})
	}
	if err != nil {
		p.fail(w, v, r, err)
		return
	}
	p.back(w, r, "undone", "")
}
