package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

type pages struct {
	Options
	base  string // path below which all pages are
	views views
}

// visit is a request for a page, or a form. After an error, which is in err, it asks the daemon no further questions.
type visit struct {
	*http.Request
	daemon   Daemon
	project  string
	projects []memory.Project // projects that are not merged into another one; last seen first
	err      error
}

// whyOff returns why the sessions of the visited project are given no memories, or "".
func (p *pages) whyOff(v *visit) string {
	for _, one := range v.projects {
		if one.Key == v.project {
			return p.WhyOff(one)
		}
	}
	return ""
}

// ask asks the daemon for a visit. After an error the answer is empty.
func ask[P, R any](v *visit, method daemonapi.Method[P, R], params P) (result R) {
	if v.err == nil {
		result, v.err = method.Ask(v.Context(), v.daemon.Ask, params)
	}
	return result
}

type page struct {
	name, title string
	data        any
}

// show returns the handler of a page that f makes.
func (p *pages) show(f func(*visit) page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, made := p.visit(r), page{}
		if v.err == nil {
			made = f(v)
		}
		if v.err != nil {
			p.fail(w, v)
			return
		}
		p.write(w, v, http.StatusOK, made)
	}
}

// take returns the handler of a form that f carries out. f returns the code of a notice, and the run that an undo of the form would revert.
func (p *pages) take(f func(*visit) (done, run string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, done, run := p.visit(r), "", ""
		if err := r.ParseForm(); err != nil { // the form is too long, or did not arrive completely
			v.err = fmt.Errorf("read the form: %w: %w", err, memory.ErrInvalid)
		}
		if v.err == nil {
			done, run = f(v)
		}
		if v.err != nil {
			p.fail(w, v)
			return
		}
		p.back(w, r, done, run)
	}
}

func (p *pages) write(w http.ResponseWriter, v *visit, status int, made page) {
	values := v.URL.Query()
	values.Del("done")
	values.Del("run")
	here := url.URL{Path: v.URL.Path, RawQuery: values.Encode()}
	err := p.views.write(w, status, frame{
		Base: p.base, Page: made.name, Title: made.title, Project: v.project, Projects: v.projects,
		Here: here.String(), Notice: notice{notices[v.URL.Query().Get("done")], v.URL.Query().Get("run")},
		Data: made.data,
	})
	if err != nil {
		p.Log.Error("a page of the dashboard cannot be shown", "page", made.name, "error", err)
		http.Error(w, "this page cannot be shown; see the error with memory daemon logs", http.StatusInternalServerError)
	}
}

// visit returns the visit of a request. Its project is the requested project, or else the project seen last.
func (p *pages) visit(r *http.Request) *visit {
	v := &visit{Request: r, daemon: p.Daemon, project: r.URL.Query().Get("project")}
	all := ask(v, daemonapi.MethodProjects, daemonapi.ProjectsParams{Uncounted: true})
	v.projects = memory.EachIf(all, func(one memory.ProjectHolding) (memory.Project, bool) { return one.Project, one.MergedInto == "" })
	if v.project == "" && len(v.projects) > 0 {
		v.project = v.projects[0].Key
	}
	return v
}

type failure struct{ Reason, Help string }

func (p *pages) fail(w http.ResponseWriter, v *visit) {
	status, title, shown := http.StatusInternalServerError, "This page cannot be shown",
		failure{memory.ErrorText(v.err), "memory daemon logs shows more about it."}
	switch {
	case errors.Is(v.err, memory.ErrNotFound):
		status, title, shown.Help = http.StatusNotFound, "Not found", "It may belong to another project: choose the project above."
	case errors.Is(v.err, errNoPage):
		status, title, shown.Help = http.StatusNotFound, "Not found", "The links on the left lead to all pages."
	case errors.Is(v.err, memory.ErrInvalid):
		status, title, shown.Help = http.StatusBadRequest, "This is not possible", "Nothing was changed."
	case errors.Is(v.err, memory.ErrUnavailable):
		status, title, shown.Help = http.StatusServiceUnavailable, "The store does not answer",
			"Load the page again in a moment; memory doctor finds the cause."
	default:
		p.Log.Error("a page of the dashboard failed", "path", v.URL.Path, "error", v.err)
	}
	p.write(w, v, status, page{"failure", title, shown})
}

// errNoPage answers a request for an address below the base that no page has.
var errNoPage = errors.New("there is no page at this address")

// notices are the possible results of forms, by the code in the address.
var notices = map[string]string{
	"pinned":    "Pinned: it does not fade.",
	"unpinned":  "Unpinned: it fades again.",
	"archived":  "Archived: it is not recalled any more.",
	"restored":  "Restored: it is recalled again.",
	"edited":    "Replaced by the new text; the old one is archived.",
	"same":      "No change was needed.",
	"modelOn":   "On: from now on a model reads each session after its end.",
	"modelOff":  "Off: no session is sent to a model. Memories that it wrote before stay.",
	"keepAsked": "From now on only what you ask for becomes a memory.",
	"keepAll":   "From now on all that lasts becomes a memory.",
	"keepFixed": "The setting is written, but MEMORY_CAPTURE_KEEP in the environment takes precedence over it.",
	"undone":    "Undone. Memories that changed after the run stay as they are.",
}

// back redirects the browser to the page of a form, with the form's result.
func (p *pages) back(w http.ResponseWriter, r *http.Request, done, run string) {
	to, err := url.Parse(r.PostFormValue("back"))
	if err != nil || to.Scheme != "" || to.Host != "" || !strings.HasPrefix(to.Path, "/") ||
		strings.HasPrefix(to.Path, "//") || strings.Contains(to.Path, `\`) {
		to = &url.URL{Path: "/"}
	}
	values := to.Query()
	values.Set("done", done)
	values.Del("run")
	if run != "" {
		values.Set("run", run)
	}
	http.Redirect(w, r, (&url.URL{Path: p.base + to.Path, RawQuery: values.Encode()}).String(), http.StatusSeeOther)
}

func (p *pages) undo(v *visit) (done, run string) {
	ask(v, daemonapi.MethodUndo, daemonapi.UndoParams{Run: v.PostFormValue("run"), Trigger: memory.ByDashboard})
	return "undone", ""
}

// Options are the dependencies and settings of the dashboard.
type Options struct {
	Daemon Daemon
	Log    *slog.Logger
	Now    func() time.Time
	// Folder is the folder of the files that let a browser in. Only this user may have access to it.
	Folder string
	// Save saves a setting. OnlyAsked reports whether the setting capture.keep is now "asked".
	Save      func(key, value string) error
	OnlyAsked func() bool
	// WhyOff returns why the sessions of a project are given no memories, or "".
	WhyOff func(memory.Project) string
}

// Daemon answers the same calls as for the CLI and the MCP server. The pages have no other access to the memories.
type Daemon interface {
	Ask(ctx context.Context, call daemonapi.Call) error
}
