package dashboard_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// nasty are texts that would run, load or hide something if they were not escaped.
var nasty = []string{
	`<script>document.title="owned"</script>`, `"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>`,
	`javascript:alert(1)`, `</textarea><script>alert(1)</script>`, `{{.Token}}`, `<a href="http://evil.example">x</a>`,
	`<style>body{display:none}</style>`, `<!--`, `]]>`, "a\u202egnp.exe", `" formaction="/undo" x="`,
}

// fake is a daemon with one memory of each nasty text. It notes the changes.
type fake struct {
	daemonserver.Server
	handlers sync.RWMutex // held for reading while one answers
	mu       sync.Mutex
	changes  []memory.Change
	undone   []string
	down     bool
	run      memory.Run // of maintenance
}

func (f *fake) Ask(ctx context.Context, call daemonapi.Call) error {
	f.handlers.RLock()
	defer f.handlers.RUnlock()
	return f.Server.Ask(ctx, call)
}

func newFake() *fake {
	f := &fake{}
	f.Log = slog.New(slog.DiscardHandler)
	f.run = memory.Run{ID: "r7", Job: "prune", Trigger: nasty[0], StartedAt: noon, Examined: 3, Changed: 1, TokensFreed: 12, Notes: []string{nasty[1]}, Error: nasty[2], Actions: []memory.Action{{
		Memory: nasty[3], Kind: nasty[4], Reason: nasty[5], Before: memory.State{Content: nasty[6], Status: memory.StatusActive}, After: memory.State{Content: nasty[6], Status: memory.StatusArchived},
	}}}
	var all []memory.Memory
	for _, text := range nasty {
		all = append(all, memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", text), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
			Status: memory.StatusActive, Content: text, Detail: text, Tags: []string{text}, Files: []string{text}, Command: text, Signature: text, Session: text,
			Source: memory.SourceUser, Importance: 0.5, CreatedAt: noon, LastSeenAt: noon,
		})
	}
	of := func(id string) (memory.Memory, error) {
		for _, m := range all {
			if m.ID == id {
				return m, nil
			}
		}
		return memory.Memory{}, memory.ErrNotFound
	}
	f.Handlers = []daemonapi.Handler{
		daemonapi.MethodProjects.Handle(func(context.Context, daemonapi.ProjectsParams) ([]memory.ProjectHolding, error) {
			return []memory.ProjectHolding{{Project: memory.Project{Key: "p", Name: nasty[0]}}}, nil
		}),
		daemonapi.MethodList.Handle(func(context.Context, daemonapi.ListParams) (daemonapi.ListResult, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.down {
				return daemonapi.ListResult{}, memory.ErrUnavailable
			}
			return daemonapi.ListResult{Memories: all, Left: 60}, nil
		}),
		daemonapi.MethodFind.Handle(func(context.Context, daemonapi.FindParams) ([]memory.Hit, error) {
			return []memory.Hit{{Memory: all[0], Score: 1}}, nil
		}),
		daemonapi.MethodRuns.Handle(func(context.Context, int) ([]memory.Run, error) {
			return []memory.Run{{ID: "r1", Job: nasty[0], Trigger: nasty[1], StartedAt: noon}}, nil
		}),
		daemonapi.MethodExplain.Handle(func(_ context.Context, p daemonapi.ExplainParams) (daemonapi.Explanation, error) {
			m, err := of(p.ID)
			return daemonapi.Explanation{Strength: 0.4, ArchiveBelow: 0.1, Row: memory.Row{Memory: m, DerivedFrom: []string{nasty[0]}}, History: memory.History{
				Injected: []memory.Injection{{Session: nasty[0], Hook: nasty[1], At: noon}}, Changes: []memory.ChangeRecord{{Reason: nasty[0], By: nasty[1], Job: nasty[2]}},
			}}, err
		}),
		daemonapi.MethodSessions.Handle(func(context.Context, daemonapi.SessionsParams) ([]memory.Session, error) {
			return []memory.Session{{ID: nasty[0], State: memory.SessionState(nasty[1]), Summary: memory.Summary{Text: nasty[2], Digest: memory.Digest{Request: nasty[3], Completed: nasty[4]}}}}, nil
		}),
		daemonapi.MethodSession.Handle(func(context.Context, string) (memory.SessionRecord, error) {
			return memory.SessionRecord{
				Session:       memory.Session{ID: nasty[0], Source: nasty[1], EndReason: nasty[2], Summary: memory.Summary{Text: nasty[3]}},
				Prompts:       []memory.Prompt{{Text: nasty[4], At: noon}},
				Seen:          []memory.Seen{{Memory: all[0], At: noon.Add(-time.Minute)}},
				SessionEvents: []memory.SessionEvent{{Kind: memory.EventKind(nasty[5]), Text: nasty[6], At: noon}},
			}, nil
		}),
		daemonapi.MethodWhy.Handle(func(_ context.Context, p daemonapi.WhyParams) (daemonapi.WhyResult, error) {
			hits := []daemonapi.WhyHit{{Memory: all[1], Score: 3, LeftOut: daemonapi.LeftOut{Why: nasty[0]}}}
			return daemonapi.WhyResult{Injected: hits, Skipped: []daemonapi.WhyHit{{Memory: all[2], LeftOut: daemonapi.LeftOut{Why: nasty[1]}}}}, nil
		}),
		daemonapi.MethodRun.Handle(func(_ context.Context, id string) (memory.Run, error) { return f.run, nil }),
		daemonapi.MethodAmend.Handle(func(_ context.Context, p daemonapi.AmendParams) (daemonapi.AmendResult, error) {
			m, err := of(p.ID)
			after, changeErr := p.Change.Apply(m)
			if err == nil {
				err = changeErr
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			f.changes = append(f.changes, p.Change)
			return daemonapi.AmendResult{Before: m, After: after}, err
		}),
		daemonapi.MethodUndo.Handle(func(_ context.Context, p daemonapi.UndoParams) (memory.Run, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.undone = append(f.undone, p.Run)
			return memory.Run{}, nil
		}),
	}
	f.Handlers = append(f.Handlers, modelHandlers(&daemonapi.DistillStatus{Enabled: true, Receiver: nasty[0], Stopped: nasty[1]}, memory.SpendTotal{Day: nasty[2], Calls: 1})...)
	return f
}

func (f *fake) setDown() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = true
}

// clock is the time that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// browser is a client that follows no redirect, at a dashboard.
type browser struct {
	*http.Client
	t      *testing.T
	base   string // the address
	below  string // the path that the pages are below; "" until the browser is let in
	folder string // of the files that let a browser in
	daemon *fake
	open   func(daemonapi.DashboardParams) daemonapi.DashboardResult
	clock  *clock
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	return newBrowserAt(t, dashboard.Options{Folder: filepath.Join(t.TempDir(), "run")})
}

// newBrowserAt is a browser at a dashboard with further options.
func newBrowserAt(t *testing.T, o dashboard.Options) *browser {
	t.Helper()
	now := &clock{at: noon}
	daemon := newFake()
	o.Daemon, o.Log, o.Now = daemon, slog.New(slog.DiscardHandler), now.now
	if o.OnlyAsked == nil {
		o.OnlyAsked = func() bool { return false }
	}
	if o.WhyOff == nil {
		o.WhyOff = func(memory.Project) string { return "" }
	}
	d := dashboard.New(o)
	jar := musttest.Get(cookiejar.New(nil))(t)
	b := &browser{t: t, daemon: daemon, clock: now, folder: o.Folder, Client: &http.Client{
		Jar: jar, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	b.open = func(p daemonapi.DashboardParams) daemonapi.DashboardResult {
		return musttest.Get(d.Open(t.Context(), p))(t)
	}
	t.Cleanup(func() { musttest.Do(t, d.Close()) })
	b.base = strings.TrimSuffix(b.open(daemonapi.DashboardParams{}).URL, "/")
	return b
}

var leadsTo = regexp.MustCompile(`content="0;url=(/[a-z2-7]{26})/"`)

// enter uses a key that the daemon has given out.
func (b *browser) enter() {
	b.t.Helper()
	if status := b.bring(b.open(daemonapi.DashboardParams{}).Key); status != http.StatusOK {
		b.t.Fatalf("the key was answered by %d", status)
	}
}

// bring sends a key as the form for it does, and follows to the pages.
func (b *browser) bring(key string, change ...func(*http.Request)) int {
	b.t.Helper()
	b.below = ""
	status, page := b.send(http.MethodPost, "/enter", url.Values{"key": {key}}, change...)
	if found := leadsTo.FindStringSubmatch(page); found != nil {
		b.below = found[1]
	}
	return status
}

func (b *browser) get(path string, change ...func(*http.Request)) (int, string) {
	b.t.Helper()
	return b.send(http.MethodGet, path, nil, change...)
}

// statusOf is the status of an answer.
func statusOf(status int, _ string) int { return status }

func (b *browser) send(method, path string, form url.Values, change ...func(*http.Request)) (int, string) {
	b.t.Helper()
	request := musttest.Get(http.NewRequestWithContext(b.t.Context(), method, b.base+b.below+path, strings.NewReader(form.Encode())))(b.t)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", b.base)
	}
	for _, f := range change {
		f(request)
	}
	response := musttest.Get(b.Do(request))(b.t)
	defer func() { _ = response.Body.Close() }()
	body := musttest.Get(io.ReadAll(response.Body))(b.t)
	if got := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'; ") || strings.Contains(got, "unsafe") || strings.Contains(strings.ReplaceAll(got, "script-src 'self';", ""), "script-src") {
		b.t.Errorf("%s %s has the policy %q", method, path, got)
	}
	return response.StatusCode, string(body) + strings.TrimPrefix(response.Header.Get("Location"), b.below)
}

func (f *fake) id(text string) string { return memory.NewID(memory.ScopeProject, "p", text) }

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// TestOnlyABrowserThatWasLetInIsAnswered: a key is good once, for ten minutes and until the next one, and
// nothing is answered without it, whatever the path.
func TestOnlyABrowserThatWasLetInIsAnswered(t *testing.T) {
	b := newBrowser(t)
	for _, path := range []string{"/memories", "/sessions", "/enter", "/enter?key=", "/nothing"} {
		musttest.Same(t, http.StatusForbidden, statusOf(b.get(path)), "%s without the key", path)
	}
	if status, page := b.get("/"); status != http.StatusOK || !strings.Contains(page, `action="/enter"`) || strings.Contains(strings.ReplaceAll(page, "/style.css", ""), "href=\"/") {
		t.Errorf("the address asks for no key: %d\n%s", status, page)
	}
	musttest.Same(t, http.StatusForbidden, b.bring("0123"), "a wrong key is answered by")
	late := b.open(daemonapi.DashboardParams{}).Key
	b.clock.set(noon.Add(11 * time.Minute))
	musttest.Same(t, http.StatusForbidden, b.bring(late), "a key of eleven minutes is answered by")
	replaced, key := b.open(daemonapi.DashboardParams{}).Key, b.open(daemonapi.DashboardParams{}).Key
	musttest.Same(t, http.StatusForbidden, b.bring(replaced), "a key that a later one replaced is answered by")
	if status := b.bring(" " + strings.ToLower(key) + "\n"); status != http.StatusOK { // as it was typed
		t.Fatalf("the key is answered by %d", status)
	}
	musttest.Same(t, http.StatusOK, statusOf(b.get("/sessions")), "a browser that was let in")
	other := *b
	other.Client = &http.Client{Transport: b.Transport, CheckRedirect: b.CheckRedirect}
	musttest.Same(t, http.StatusForbidden, statusOf(other.get("/memories")), "who knows the path and has no cookie")
	musttest.Same(t, http.StatusForbidden, other.bring(key), "a key that was used lets another browser in")
}

// TestTheCookieIsForOurPagesOnly: no script reads it, no other site sends it, and a server on another port, to which browsers
// send what is for this host, is sent it for a path only that nobody knows and that is another one with each daemon.
func TestTheCookieIsForOurPagesOnly(t *testing.T) {
	var paths []string
	for range 2 {
		b := newBrowser(t)
		response := musttest.Get(b.PostForm(b.base+"/enter", url.Values{"key": {b.open(daemonapi.DashboardParams{}).Key}}))(t)
		_ = response.Body.Close()
		cookies := response.Cookies()
		if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Domain != "" || len(cookies[0].Path) != len("//")+26 {
			t.Fatalf("cookies are %+v", cookies)
		}
		paths = append(paths, cookies[0].Path)
		for _, path := range []string{"/", "/enter", "/memories", "/style.css"} {
			elsewhere := &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: path}
			musttest.Same(t, nil, b.Jar.Cookies(elsewhere), "%s is sent", elsewhere)
		}
	}
	if paths[0] == paths[1] {
		t.Errorf("two agents have the path %s", paths[0])
	}
}

// TestAFileLetsTheBrowserIn: only this user can read it, its page sends the key, which is
// not in its name, and it is gone when the key was used or is good for nothing.
func TestAFileLetsTheBrowserIn(t *testing.T) {
	b := newBrowser(t)
	opened := b.open(daemonapi.DashboardParams{File: true})
	page := musttest.Get(os.ReadFile(opened.File))(t)
	found := regexp.MustCompile(`action="` + b.base + `/enter"><input type="password" name="key" value="([A-Z2-7]{26})"`).FindSubmatch(page)
	if found == nil || opened.Key != "" {
		t.Fatalf("beside the key %q the page is\n%s", opened.Key, page)
	}
	key := string(found[1])
	if strings.Contains(opened.File+opened.URL, key) {
		t.Errorf("the key %s stands in %s or %s", key, opened.File, opened.URL)
	}
	for path, want := range map[string]fs.FileMode{opened.File: 0o600, b.folder: fs.ModeDir | 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want && runtime.GOOS != "windows" {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
	fromFile := func(r *http.Request) { // as browsers say it
		r.Header.Set("Origin", "null")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	}
	musttest.Same(t, http.StatusOK, b.bring(key, fromFile), "the page's form is answered by")
	unused := b.open(daemonapi.DashboardParams{File: true}).File
	last := b.open(daemonapi.DashboardParams{File: true}).File
	for path, isThere := range map[string]bool{opened.File: false, unused: false, last: true} {
		if _, err := os.Stat(path); (err == nil) != isThere {
			t.Errorf("%s is there: %v, %v; want %v", path, err == nil, err, isThere)
		}
	}
}

// TestNoFileOutlivesItsDaemon: none after its end, and one that was killed leaves none to the next.
func TestNoFileOutlivesItsDaemon(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	left := filepath.Join(folder, "open-1.html")
	musttest.Do(t, errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(left, nil, 0o600)))
	t.Run("a daemon", func(t *testing.T) {
		newBrowserAt(t, dashboard.Options{Folder: folder}).open(daemonapi.DashboardParams{File: true})
		musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(left)), "what another has left")
	})
	if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
		t.Errorf("it has left %v, %v", files, err)
	}
}

// TestARequestOfAnotherSiteIsRefused: by its host (a name that was made to lead here), and a form by its
// origin, or by what the browser says of it; what is refused changes nothing.
func TestARequestOfAnotherSiteIsRefused(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	hosts := map[string]func(*http.Request){
		"host":         func(r *http.Request) { r.Host = "evil.example" },
		"host by name": func(r *http.Request) { r.Host = strings.Replace(r.Host, "127.0.0.1", "localhost", 1) },
	}
	forms := map[string]func(*http.Request){
		"origin":       header("Origin", "http://evil.example"),
		"no origin":    header("Origin", "null"),
		"another port": header("Origin", "http://127.0.0.1:1"),
		"what it says": header("Sec-Fetch-Site", "cross-site"),
		"a sibling's":  header("Sec-Fetch-Site", "same-site"),
	}
	maps.Copy(forms, hosts)
	for name, change := range hosts {
		musttest.Same(t, http.StatusForbidden, statusOf(b.get("/sessions", change)), "%s: a page", name)
	}
	at := "/memories/" + b.daemon.id(nasty[0])
	pin, undo := url.Values{"do": {"pin"}, "back": {"/sessions"}}, url.Values{"run": {"r1"}, "back": {"/sessions?done=pinned&run=r1"}}
	for name, change := range forms {
		for path, form := range map[string]url.Values{at: pin, "/undo": undo} {
			musttest.Same(t, http.StatusForbidden, statusOf(b.send(http.MethodPost, path, form, change)), "%s: %s", name, path)
		}
	}
	musttest.Same(t, http.StatusNotFound, statusOf(b.send(http.MethodPut, at, pin)), "another method")
	if b.daemon.changes != nil || b.daemon.undone != nil {
		t.Errorf("changed %+v, undone %v", b.daemon.changes, b.daemon.undone)
	}
	if status, to := b.send(http.MethodPost, at, pin, header("Sec-Fetch-Site", "same-origin")); status != http.StatusSeeOther || !strings.HasPrefix(to, "/sessions?done=pinned&run=") {
		t.Errorf("our own form is answered by %d, %s", status, to)
	}
	if len(b.daemon.changes) != 1 || b.daemon.changes[0].Pinned == nil || b.daemon.changes[0].By != memory.ByDashboard {
		t.Errorf("changed %+v", b.daemon.changes)
	}
	if status, to := b.send(http.MethodPost, "/undo", undo); status != http.StatusSeeOther || to != "/sessions?done=undone" {
		t.Errorf("undo is answered by %d, %s", status, to)
	}
	musttest.Same(t, 1, len(b.daemon.undone), "undone %v", b.daemon.undone)
}

// TestAFormLeadsBackToOurPages: an address of another site in the form leads nowhere else.
func TestAFormLeadsBackToOurPages(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	at := "/memories/" + b.daemon.id(nasty[0])
	for _, to := range []string{"http://evil.example/", "//evil.example/", `/\evil.example`, "javascript:alert(1)", "", "evil"} {
		_, location := b.send(http.MethodPost, at, url.Values{"do": {"pin"}, "back": {to}})
		if !strings.HasPrefix(location, "/?done=pinned") {
			t.Errorf("back to %q leads to %s", to, location)
		}
	}
}

var (
	ownTag    = regexp.MustCompile(`<(/?[a-zA-Z!][^>]*)>`)
	attribute = regexp.MustCompile(`\s(on\w+|style|srcdoc)\s*=`)
)

// TestStoredTextStaysText: whatever a memory, project, session or run says, the page has no element, handler or style of it.
func TestStoredTextStaysText(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	pages := []string{
		"/", "/?q=x", "/?project=%3Cscript%3E&q=%3Cscript%3E&kind=%22%3E%3Cscript%3E&tag=%3Cscript%3E", "/?done=pinned&run=%22%3E%3Cscript%3E", "/memories/none",
		"/sessions", "/sessions/x", "/why", "/why?prompt=x", "/why?prompt=%3Cscript%3Ealert%281%29", "/model", "/maintenance", "/maintenance/runs/r7",
	}
	for _, text := range nasty {
		pages = append(pages, "/memories/"+b.daemon.id(text))
	}
	for _, path := range pages {
		status, page := b.get(path)
		if status != http.StatusOK && path != "/memories/none" {
			t.Errorf("%s is answered by %d: %s", path, status, page)
		}
		for _, tag := range ownTag.FindAllStringSubmatch(page, -1) {
			name, _, _ := strings.Cut(strings.TrimPrefix(tag[1], "/"), " ")
			switch {
			case name == "script", name == "style", name == "img", name == "svg", name == "iframe", strings.HasPrefix(name, "!--"),
				attribute.MatchString(stringless(tag[1])), strings.Contains(stringless(tag[1]), "evil"):
				t.Errorf("%s has the tag %s", path, tag[0])
			}
		}
		if strings.ContainsRune(page, '\u202e') {
			t.Errorf("%s has a character that turns the direction of writing", path)
		}
	}
}

// stringless is a tag without the values of its attributes.
func stringless(tag string) string { return quoted.ReplaceAllString(tag, `""`) }

var quoted = regexp.MustCompile(`"[^"]*"`)

// TestAFailureIsShown: in words, with the status for it, and with nothing changed.
func TestAFailureIsShown(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	if status, page := b.get("/memories/none"); status != http.StatusNotFound || !strings.Contains(page, "another project") {
		t.Errorf("a memory that is not there: %d, %s", status, page)
	}
	if status, page := b.get("/nowhere"); status != http.StatusNotFound || !strings.Contains(page, "<h1>Not found</h1>") || !strings.Contains(page, `aria-label="Pages"`) {
		t.Errorf("an address without a page: %d, %s", status, page)
	}
	musttest.Same(t, http.StatusOK, statusOf(b.get("/?q=100%;")), "a search that was typed into the address")
	at := "/memories/" + b.daemon.id(nasty[0])
	for _, do := range []url.Values{{"do": {"nothing"}}, {"do": {"edit"}, "content": {" "}}, {"do": {"edit"}, "content": {strings.Repeat("long ", 20_000)}}} {
		if status, page := b.send(http.MethodPost, at, do); status != http.StatusBadRequest || strings.Contains(page, memory.ErrInvalid.Error()) {
			t.Errorf("%v: %d, %s", do, status, page)
		}
	}
	b.daemon.setDown()
	if status, page := b.get("/"); status != http.StatusServiceUnavailable || !strings.Contains(page, "memory doctor") {
		t.Errorf("without a store: %d, %s", status, page)
	}
}

// answers puts handlers before those of the fake.
func (f *fake) answers(handlers ...daemonapi.Handler) {
	f.handlers.Lock()
	defer f.handlers.Unlock()
	f.Handlers = append(handlers, f.Handlers...)
}

// TestSessionsAreNamed by what they were about: of a session without a summary by its first prompt.
func TestSessionsAreNamed(t *testing.T) {
	b := newBrowser(t)
	const silent, done = "0123abcd-0000-4000-8000-000000000001", "0123abcd-0000-4000-8000-000000000002"
	m := memory.Memory{ID: strings.Repeat("ab", 16), Project: "p", Status: memory.StatusActive, Scope: memory.ScopeProject, Session: done, CreatedAt: noon, Content: "berths are booked in berth/book.go"}
	b.daemon.answers(
		daemonapi.MethodSessions.Handle(func(context.Context, daemonapi.SessionsParams) ([]memory.Session, error) {
			return []memory.Session{
				{ID: silent, State: "active", StartedAt: noon, PromptCount: 1, First: "where do the pilots wait?"},
				{ID: done, State: "completed", StartedAt: noon, PromptCount: 2, Summary: memory.Summary{Digest: memory.Digest{Request: "do we retry a booking"}}},
				{ID: "s3", State: "completed", Summary: memory.Summary{Text: "2026-11-22 12:00 UTC: the third one"}},
			}, nil
		}),
		daemonapi.MethodSession.Handle(func(_ context.Context, id string) (memory.SessionRecord, error) {
			return memory.SessionRecord{Session: memory.Session{ID: id}, Prompts: []memory.Prompt{{Text: "where do the pilots wait?", At: noon, Session: id}}}, nil
		}),
		daemonapi.MethodExplain.Handle(func(context.Context, daemonapi.ExplainParams) (daemonapi.Explanation, error) {
			return daemonapi.Explanation{Row: memory.Row{Memory: m, Uses: 1, Sessions: 1, Projects: 1}, History: memory.History{Injected: []memory.Injection{{Session: "elsewhere-1", Hook: "start", At: noon}}}}, nil
		}),
	)
	b.enter()
	for path, wants := range map[string][]string{
		"/sessions":              {"where do the pilots wait?", "do we retry a booking", ">the third one<", "<span>1 prompt</span>", "<span>2 prompts</span>"},
		"/sessions/" + silent:    {"<h1>where do the pilots wait?</h1>", `<a href="` + b.below + `/why?project=p&amp;prompt=where&#43;do&#43;the&#43;pilots&#43;wait%3F">Why this?</a>`},
		"/memories/" + m.ID:      {`<a href="` + b.below + `/sessions/` + done + `?project=p">session 0123abcd</a>`, ">session elsewhere-1</a>", "<dd>1 time</dd>", "1 session of 1 project<"},
		"/sessions?project=none": {"where do the pilots wait?"},
	} {
		_, page := b.get(path)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %s:\n%s", path, want, page)
			}
		}
	}
	b.daemon.answers(daemonapi.MethodSessions.Handle(func(context.Context, daemonapi.SessionsParams) ([]memory.Session, error) { return nil, nil }))
	if _, page := b.get("/sessions"); !strings.Contains(page, "No session of this project is stored yet") {
		t.Errorf("without sessions the page is\n%s", page)
	}
}

// TestTheNavigationMarksThePageOrItsSection.
func TestTheNavigationMarksThePageOrItsSection(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	for path, want := range map[string]string{
		"/": `aria-current="page">Memories<`, "/memories/" + b.daemon.id(nasty[0]): `aria-current="true">Memories<`, "/sessions/x": `aria-current="true">Sessions<`,
		"/maintenance/runs/r7": `aria-current="true">Maintenance<`, "/model": `aria-current="page">Model<`,
	} {
		if _, page := b.get(path); strings.Count(page, "aria-current") != 1 || !strings.Contains(page, want) {
			t.Errorf("%s does not mark %s once", path, want)
		}
	}
}

// TestARequestThatNeverComesEnds: whatever of it is missing, a stranger's connection is closed within seconds.
func TestARequestThatNeverComesEnds(t *testing.T) {
	b := newBrowser(t)
	address := strings.TrimPrefix(b.base, "http://")
	var ended sync.WaitGroup
	for name, sent := range map[string]string{
		"nothing":            "",
		"half of a header":   "GET / HTTP/1.1\r\nHost: 127.0",
		"a key without body": "POST /enter HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 30\r\n\r\nkey=",
		"a stranger's form":  "POST /undo HTTP/1.1\r\nHost: " + address + "\r\nContent-Length: 200000\r\n\r\nx",
	} {
		ended.Go(func() {
			conn, err := net.Dial("tcp4", address)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = conn.Close() }()
			_, sendErr := io.WriteString(conn, sent)
			musttest.Is(t, nil, errors.Join(sendErr, conn.SetDeadline(time.Now().Add(30*time.Second))), "ask")
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the connection is still open after 30 seconds", name)
			}
		})
	}
	ended.Wait()
}

// TestAProjectThatIsOffIsNotSaidToBeGivenAnything: neither for a prompt nor at a start.
func TestAProjectThatIsOffIsNotSaidToBeGivenAnything(t *testing.T) {
	const off = "memory is off for shop"
	b := newBrowserAt(t, dashboard.Options{Folder: filepath.Join(t.TempDir(), "run"), WhyOff: func(memory.Project) string { return off }})
	b.enter()
	for _, path := range []string{"/why?prompt=which+port", "/memories/" + b.daemon.id(nasty[0])} {
		if _, body := b.get(path); !strings.Contains(body, off) || strings.Contains(body, "Given now") {
			t.Errorf("%s:\n%s", path, body)
		}
	}
}
