package dashboard

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// pages holds the dependencies of every page.
type pages struct {
	agent Agent
	guard *guard
	views views
	log   *slog.Logger
	now   func() time.Time

	projects    *projects
	health      *health // nil: nobody examines
	budgets     Budgets
	startBudget int // tokens of a session's start
}

// visit is a request for a page.
type visit struct {
	*http.Request
	project  string
	projects []memory.Project
}

// page is the answer to a request.
type page struct {
	name, title string
	data        any
}

// show makes a handler of a function that makes a page.
func (p *pages) show(f func(context.Context, visit) (page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := p.visit(r)
		made := page{}
		if err == nil {
			made, err = f(r.Context(), v)
		}
		if err != nil {
			p.fail(w, v, r, err)
			return
		}
		p.write(w, v, r, http.StatusOK, made)
	}
}

func (p *pages) write(w http.ResponseWriter, v visit, r *http.Request, status int, made page) {
	cookie, _ := p.guard.visitor(r)
	here := url.URL{Path: r.URL.Path, RawQuery: without(r.URL.Query(), "done", "run").Encode()}
	err := p.views.write(w, status, frame{
		Base: p.guard.base, Page: made.name, Title: made.title, Project: v.project, Projects: v.projects, Token: p.guard.formToken(cookie),
		Here: here.String(), Notice: noticeOf(r.URL.Query()), Now: p.now(), Data: made.data,
	})
	if err != nil {
		p.log.Error("a page of the dashboard cannot be shown", "page", made.name, "error", err)
		http.Error(w, "this page cannot be shown: memory agent logs has the error", http.StatusInternalServerError)
	}
}

func without(values url.Values, keys ...string) url.Values {
	for _, key := range keys {
		values.Del(key)
	}
	return values
}

// visit finds the chosen project: that of the address, else the one seen last.
func (p *pages) visit(r *http.Request) (visit, error) {
	v := visit{Request: r, project: r.URL.Query().Get("project")}
	var err error
	if v.projects, err = p.projects.list(r.Context()); err != nil {
		return v, err
	}
	if v.project == "" && len(v.projects) > 0 {
		v.project = v.projects[0].Key
	}
	return v, nil
}

// failure is the data of the page that tells an error.
type failure struct{ Reason, Help string }

func (p *pages) fail(w http.ResponseWriter, v visit, r *http.Request, err error) {
	status, told := http.StatusInternalServerError, failure{err.Error(), "memory agent logs has more."}
	switch {
	case errors.Is(err, memory.ErrNotFound):
		status, told.Help = http.StatusNotFound, "It may belong to another project: choose that one above."
	case errors.Is(err, memory.ErrInvalid):
		status, told.Help = http.StatusBadRequest, "Nothing was changed."
	case errors.Is(err, memory.ErrUnavailable):
		status, told.Help = http.StatusServiceUnavailable, "The store cannot be reached now. Load the page again in a moment; memory doctor says what is wrong."
	default:
		p.log.Error("a page of the dashboard failed", "path", r.URL.Path, "error", err)
	}
	p.write(w, v, r, status, page{"failure", "Not shown", told})
}

// noticeOf reads the notice that a form has left in the address.
func noticeOf(values url.Values) notice {
	said, known := notices[values.Get("done")]
	if !known {
		return notice{}
	}
	n := notice{Text: said.text}
	if said.undoable {
		n.Run = values.Get("run")
	}
	return n
}

// notices are the possible results of forms, by the code in the address.
var notices = map[string]struct {
	text     string
	undoable bool
}{
	"pinned":     {"Pinned: it does not fade.", true},
	"unpinned":   {"Unpinned: it fades again.", true},
	"forgot":     {"Forgotten: it is archived, and no session is told it.", true},
	"restored":   {"Restored: sessions are told it again.", true},
	"edited":     {"Replaced by the new text; the old one is archived.", true},
	"weighed":    {"Its importance has changed.", true},
	"tagged":     {"Its tags have changed.", true},
	"promoted":   {"It reaches further now.", true},
	"confirmed":  {"Confirmed: it ranks higher.", true},
	"rejected":   {"Put away: it is archived.", true},
	"marked":     {"Marked: memory eval holds recall against it.", false},
	"same":       {"No change: it already is so.", false},
	"applied":    {"Applied. The list below says what was changed.", true},
	"appliedAll": {"Applied. Each run below can be undone.", false},
	"idle":       {"There was nothing to change.", false},
	"undone":     {"Undone: everything is as it was before.", false},
}

// back sends the browser to where a form was, with the form's result.
func (p *pages) back(w http.ResponseWriter, r *http.Request, done, run string) {
	to, err := url.Parse(r.PostFormValue("back"))
	if err != nil || to.Scheme != "" || to.Host != "" || !strings.HasPrefix(to.Path, "/") || strings.HasPrefix(to.Path, "//") || strings.Contains(to.Path, `\`) {
		to = &url.URL{Path: "/"}
	}
	values := without(to.Query(), "done", "run")
	values.Set("done", done)
	if run != "" {
		values.Set("run", run)
	}
	http.Redirect(w, r, (&url.URL{Path: p.guard.base + to.Path, RawQuery: values.Encode()}).String(), http.StatusSeeOther)
}
