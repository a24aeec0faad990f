package dashboard_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(strangerVariable); job != "" {
		stranger(job)
		return
	}
	goleak.VerifyTestMain(m)
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// nasty are texts that would run, load or hide something if they were not escaped.
var nasty = []string{
	`<script>document.title="owned"</script>`, `"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>`,
	`javascript:alert(1)`, `</textarea><script>alert(1)</script>`, `{{.Token}}`, `<a href="http://evil.example">x</a>`,
	`<style>body{display:none}</style>`, `<!--`, `]]>`, "a\u202egnp.exe", `" hx-get="/undo" x="`,
}

// fake is an agent with one memory of each nasty text. It notes the changes.
type fake struct {
	agentserver.Server
	handlers sync.RWMutex // held for reading while one answers
	mu       sync.Mutex
	changes  []memory.Change
	undone   []string
	down     bool
	run      memory.Run // of maintenance
	burst    *agentapi.BurstStatus
	read     atomic.Int32 // how often the projects were

	examined atomic.Int32

	marks        []agentapi.Mark
	consolidated []agentapi.ConsolidateParams
}

func (f *fake) Ask(ctx context.Context, call agentapi.Call) error {
	f.handlers.RLock()
	defer f.handlers.RUnlock()
	return f.Server.Ask(ctx, call)
}

// examine finds one thing of each severity, and counts how often it is asked.
func (f *fake) examine(_ context.Context, p memory.Project) ([]dashboard.Finding, error) {
	f.examined.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return nil, errors.New("no doctor is here")
	}
	return []dashboard.Finding{
		{Check: "spool.dead", Severity: "error", Message: nasty[0] + p.Key, Remedy: nasty[1]}, {Check: nasty[2], Severity: "warning", Message: nasty[3]}, {Check: "files", Severity: "ok", Message: nasty[4]},
	}, nil
}

func newFake() *fake {
	f := &fake{burst: &agentapi.BurstStatus{Since: noon, Waiting: []agentapi.JobWait{{Job: nasty[0], Since: noon, Until: noon}}}}
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
	f.Handlers = []agentapi.Handler{
		agentapi.MethodProjectNames.Handle(func(context.Context, agentapi.None) ([]memory.Project, error) {
			f.read.Add(1)
			return []memory.Project{{Key: "p", Name: nasty[0]}}, nil
		}),
		agentapi.MethodGlance.Handle(func(context.Context, string) (agentapi.Glance, error) {
			return agentapi.Glance{State: nasty[1], Trouble: nasty[2]}, nil
		}),
		agentapi.MethodStatus.Handle(func(context.Context, agentapi.None) (agentapi.StatusResult, error) {
			return agentapi.StatusResult{State: "ready", Reason: nasty[0], Burst: f.burst, Trouble: &agentapi.Trouble{Problem: nasty[1], Help: nasty[2], Command: "doctor"}}, nil
		}),
		agentapi.MethodBurst.Handle(func(context.Context, agentapi.None) (*agentapi.BurstStatus, error) { return f.burst, nil }),
		agentapi.MethodList.Handle(func(_ context.Context, p agentapi.ListParams) (agentapi.ListResult, error) {
			return agentapi.ListResult{Memories: all, Left: 60}, nil
		}),
		agentapi.MethodFind.Handle(func(context.Context, agentapi.FindParams) ([]memory.Hit, error) {
			return []memory.Hit{{Memory: all[0], Score: 1}}, nil
		}),
		agentapi.MethodRuns.Handle(func(context.Context, int) ([]memory.Run, error) {
			return []memory.Run{{ID: "r1", Job: nasty[0], Trigger: nasty[1], StartedAt: noon}}, nil
		}),
		agentapi.MethodHistory.Handle(func(_ context.Context, p agentapi.HistoryParams) (agentapi.HistoryResult, error) {
			m, err := of(p.ID)
			return agentapi.HistoryResult{Row: memory.Row{Memory: m, DerivedFrom: []string{nasty[0]}}, History: memory.History{
				Injected: []memory.Injection{{Session: nasty[0], Hook: nasty[1], At: noon}}, Changes: []memory.ChangeRecord{{Reason: nasty[0], By: nasty[1], Job: nasty[2]}},
			}}, err
		}),
		agentapi.MethodExplain.Handle(func(context.Context, agentapi.ExplainParams) (agentapi.Explanation, error) {
			return agentapi.Explanation{Strength: 0.4, Curve: []float64{0.5, 0.4, 0.3}, ArchiveBelow: 0.1}, nil
		}),
		agentapi.MethodSessions.Handle(func(context.Context, agentapi.SessionsParams) ([]memory.Session, error) {
			return []memory.Session{{ID: nasty[0], State: memory.SessionState(nasty[1]), Summary: memory.Summary{Text: nasty[2], Digest: memory.Digest{Request: nasty[3], Completed: nasty[4]}}}}, nil
		}),
		agentapi.MethodSession.Handle(func(context.Context, string) (memory.SessionRecord, error) {
			return memory.SessionRecord{
				Session:       memory.Session{ID: nasty[0], Source: nasty[1], EndReason: nasty[2], Summary: memory.Summary{Text: nasty[3]}},
				Prompts:       []memory.Prompt{{Text: nasty[4], At: noon}},
				Seen:          []memory.Seen{{Memory: all[0], At: noon.Add(-time.Minute)}},
				SessionEvents: []memory.SessionEvent{{Kind: memory.EventKind(nasty[5]), Text: nasty[6], At: noon}},
			}, nil
		}),
		agentapi.MethodPreview.Handle(func(_ context.Context, p agentapi.PreviewParams) (agentapi.PreviewResult, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.down {
				return agentapi.PreviewResult{}, memory.ErrUnavailable
			}
			told := agentapi.PreviewLine{ID: all[0].ID, Section: nasty[0], Line: nasty[1], Tokens: 7, Injected: true, Why: nasty[2]}
			missed := agentapi.PreviewLine{ID: nasty[3], Session: true, Section: nasty[0], Line: "missed", Tokens: 9, Why: nasty[5]}
			return agentapi.PreviewResult{Text: nasty[0], Tokens: 7, Encoding: "words", Lines: slices.Concat([]agentapi.PreviewLine{told}, slices.Repeat([]agentapi.PreviewLine{missed}, 9))}, nil
		}),
		agentapi.MethodFeed.Handle(func(ctx context.Context, p agentapi.FeedParams) (agentapi.FeedResult, error) {
			items := []agentapi.FeedItem{
				{Number: 1, At: noon, Kind: agentapi.FeedCaptured, Subject: nasty[0], Session: nasty[1], Text: nasty[2]},
				{Number: 2, At: noon, Kind: agentapi.FeedInjected, Subject: "prompt", Text: nasty[3] + "\nand more", Memories: 2, Tokens: 30, TookMS: 0.7},
			}
			if p.WaitMS > 0 { // nothing more comes
				<-ctx.Done()
			}
			return agentapi.FeedResult{Items: items[min(int(p.After), 2):], Last: 2}, nil
		}),
		agentapi.MethodConsolidate.Handle(func(_ context.Context, p agentapi.ConsolidateParams) ([]memory.Run, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.consolidated = append(f.consolidated, p)
			return []memory.Run{f.run}, nil
		}),
		agentapi.MethodReview.Handle(func(context.Context, agentapi.OfProject) (agentapi.ReviewResult, error) {
			return agentapi.ReviewResult{Items: []agentapi.ReviewItem{{Memory: all[0], Rule: nasty[1]}, {Memory: all[2], Rule: "never"}}, Rules: []agentapi.RuleVerdict{{Rule: nasty[3], Confirmed: 2, Rejected: 1}}}, nil
		}),
		agentapi.MethodCensus.Handle(func(context.Context, agentapi.OfProject) (agentapi.Census, error) {
			return agentapi.Census{
				Kinds: map[memory.Kind]int{memory.Kind(nasty[0]): 2}, Scopes: map[memory.Scope]int{memory.Scope(nasty[1]): 2}, Types: map[memory.Type]int{memory.Type(nasty[2]): 1},
				Days: []agentapi.CensusDay{{Day: "2026-11-01", Learned: 2}, {Day: nasty[3], Learned: 1}, {Day: "2026-11-03", Learned: 1}},
			}, nil
		}),
		agentapi.MethodWhy.Handle(func(_ context.Context, p agentapi.WhyParams) (agentapi.WhyResult, error) {
			hits := []agentapi.WhyHit{{Memory: all[1], Score: 3, Why: nasty[0]}}
			return agentapi.WhyResult{Injected: hits, Skipped: []agentapi.WhyHit{{Memory: all[2], Why: nasty[1]}}}, nil
		}),
		agentapi.MethodPrompts.Handle(func(context.Context, agentapi.OfProject) ([]agentapi.AskedPrompt, error) {
			return []agentapi.AskedPrompt{{Prompt: memory.Prompt{Text: nasty[0], Session: nasty[1]}, Injected: 2}, {Prompt: memory.Prompt{Text: "a plain one"}}}, nil
		}),
		agentapi.MethodMark.Handle(func(_ context.Context, m agentapi.Mark) (agentapi.None, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.marks = append(f.marks, m)
			return agentapi.None{}, nil
		}),
		agentapi.MethodGet.Handle(func(_ context.Context, p agentapi.GetParams) ([]memory.Memory, error) {
			return []memory.Memory{{ID: nasty[0], Content: nasty[1]}}, nil
		}),
		agentapi.MethodRun.Handle(func(_ context.Context, id string) (memory.Run, error) { return f.run, nil }),
		agentapi.MethodAmend.Handle(func(_ context.Context, p agentapi.AmendParams) (agentapi.AmendResult, error) {
			m, err := of(p.ID)
			after, changeErr := p.Change.Apply(m)
			if err == nil {
				err = changeErr
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			f.changes = append(f.changes, p.Change)
			return agentapi.AmendResult{Before: m, After: after}, err
		}),
		agentapi.MethodUndo.Handle(func(_ context.Context, p agentapi.UndoParams) (memory.Run, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.undone = append(f.undone, p.Run)
			return memory.Run{}, nil
		}),
	}
	f.Handlers = append(f.Handlers, modelHandlers(&agentapi.DistillStatus{DistillState: agentapi.DistillState{Enabled: true, Receiver: nasty[0]}, Stopped: nasty[1]}, memory.SpendTotal{Day: nasty[2], Calls: 1})...)
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
	agent  *fake
	open   func(agentapi.DashboardParams) agentapi.DashboardResult
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
	agent := newFake()
	o.Agent, o.Log, o.Now, o.Examine = agent, slog.New(slog.DiscardHandler), now.now, agent.examine
	d := dashboard.New(o)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, agent: agent, clock: now, folder: o.Folder, Client: &http.Client{
		Jar: jar, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	b.open = func(p agentapi.DashboardParams) agentapi.DashboardResult {
		opened, err := d.Open(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return opened
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	b.base = strings.TrimSuffix(b.open(agentapi.DashboardParams{}).URL, "/")
	return b
}

var leadsTo = regexp.MustCompile(`content="0;url=(/[a-z2-7]{26})/"`)

// enter uses a key that the agent has given out.
func (b *browser) enter() {
	b.t.Helper()
	if status := b.bring(b.open(agentapi.DashboardParams{}).Key); status != http.StatusOK {
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

func (b *browser) send(method, path string, form url.Values, change ...func(*http.Request)) (int, string) {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.base+b.below+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", b.base)
	}
	for _, f := range change {
		f(request)
	}
	response, err := b.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	if got := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'; ") || strings.Contains(got, "unsafe") || strings.Contains(strings.ReplaceAll(got, "script-src 'self';", ""), "script-src") {
		b.t.Errorf("%s %s has the policy %q", method, path, got)
	}
	return response.StatusCode, string(body) + strings.TrimPrefix(response.Header.Get("Location"), b.below)
}

var formToken = regexp.MustCompile(`name="token" value="([0-9a-f]+)"`)

// token is what the forms of a page send along.
func (b *browser) token(path string) string {
	b.t.Helper()
	_, page := b.get(path)
	found := formToken.FindStringSubmatch(page)
	if found == nil {
		b.t.Fatalf("%s has no form", path)
	}
	return found[1]
}

func (f *fake) id(text string) string { return memory.NewID(memory.ScopeProject, "p", text) }

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// TestOnlyABrowserThatWasLetInIsAnswered: a key is good once and for ten minutes, and
// nothing is answered without it, whatever the path.
func TestOnlyABrowserThatWasLetInIsAnswered(t *testing.T) {
	b := newBrowser(t)
	for _, path := range []string{"/memories", "/static/app.js", "/enter", "/enter?key=", "/nothing"} {
		if status, _ := b.get(path); status != http.StatusForbidden {
			t.Errorf("%s is answered by %d without the key", path, status)
		}
	}
	if status, page := b.get("/"); status != http.StatusOK || !strings.Contains(page, `action="/enter"`) || strings.Contains(page, "href=\"/") {
		t.Errorf("the address asks for no key: %d\n%s", status, page)
	}
	if status := b.bring("0123"); status != http.StatusForbidden {
		t.Errorf("a wrong key is answered by %d", status)
	}
	late := b.open(agentapi.DashboardParams{}).Key
	b.clock.set(noon.Add(11 * time.Minute))
	if status := b.bring(late); status != http.StatusForbidden {
		t.Errorf("a key of eleven minutes is answered by %d", status)
	}
	key := b.open(agentapi.DashboardParams{}).Key
	if status := b.bring(" " + strings.ToLower(key) + "\n"); status != http.StatusOK { // as it was typed
		t.Fatalf("the key is answered by %d", status)
	}
	if status, _ := b.get("/memories"); status != http.StatusOK {
		t.Errorf("a browser that was let in is answered by %d", status)
	}
	other := *b
	other.Client = &http.Client{Transport: b.Transport, CheckRedirect: b.CheckRedirect}
	if status, _ := other.get("/memories"); status != http.StatusForbidden {
		t.Errorf("who knows the path and has no cookie is answered by %d", status)
	}
	if status := other.bring(key); status != http.StatusForbidden {
		t.Errorf("a key that was used lets another browser in: %d", status)
	}
}

// TestTheCookieIsForOurPagesOnly: no script reads it, no other site sends it, and a server
// on another port, to which browsers send what is for this host, is sent it for a path only
// that nobody knows and that is another one with each agent.
func TestTheCookieIsForOurPagesOnly(t *testing.T) {
	var paths []string
	for range 2 {
		b := newBrowser(t)
		response, err := b.PostForm(b.base+"/enter", url.Values{"key": {b.open(agentapi.DashboardParams{}).Key}})
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		cookies := response.Cookies()
		if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Domain != "" || len(cookies[0].Path) != len("//")+26 {
			t.Fatalf("cookies are %+v", cookies)
		}
		paths = append(paths, cookies[0].Path)
		for _, path := range []string{"/", "/enter", "/memories", "/static/app.js"} {
			elsewhere := &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: path}
			if sent := b.Jar.Cookies(elsewhere); sent != nil {
				t.Errorf("%s is sent %v", elsewhere, sent)
			}
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
	opened := b.open(agentapi.DashboardParams{File: true})
	page, err := os.ReadFile(opened.File)
	if err != nil {
		t.Fatal(err)
	}
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
	if status := b.bring(key, fromFile); status != http.StatusOK {
		t.Errorf("the page's form is answered by %d", status)
	}
	if status := b.bring(b.open(agentapi.DashboardParams{}).Key, header("Origin", "http://evil.example")); status != http.StatusForbidden {
		t.Errorf("the form of another site is answered by %d", status)
	}
	unused := b.open(agentapi.DashboardParams{File: true}).File
	b.clock.set(noon.Add(11 * time.Minute))
	last := b.open(agentapi.DashboardParams{File: true}).File
	for path, isThere := range map[string]bool{opened.File: false, unused: false, last: true} {
		if _, err := os.Stat(path); (err == nil) != isThere {
			t.Errorf("%s is there: %v, %v; want %v", path, err == nil, err, isThere)
		}
	}
}

// TestNoFileOutlivesItsAgent: none after its end, and one that was killed leaves none to
// the next.
func TestNoFileOutlivesItsAgent(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	left := filepath.Join(folder, "open-1.html")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(left, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Run("an agent", func(t *testing.T) {
		newBrowserAt(t, dashboard.Options{Folder: folder}).open(agentapi.DashboardParams{File: true})
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("what another has left: %v", err)
		}
	})
	if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
		t.Errorf("it has left %v, %v", files, err)
	}
}

// TestARequestOfAnotherSiteIsRefused: by its host (a name that was made to lead here),
// by its origin, or by what the browser says of it.
func TestARequestOfAnotherSiteIsRefused(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	for name, change := range map[string]func(*http.Request){
		"host":            func(r *http.Request) { r.Host = "evil.example" },
		"host by name":    func(r *http.Request) { r.Host = strings.Replace(r.Host, "127.0.0.1", "localhost", 1) },
		"origin":          header("Origin", "http://evil.example"),
		"no origin":       header("Origin", "null"),
		"what it says":    header("Sec-Fetch-Site", "cross-site"),
		"a sibling's":     header("Sec-Fetch-Site", "same-site"),
		"another port is": header("Origin", "http://127.0.0.1:1"),
	} {
		if status, _ := b.get("/memories", change); status != http.StatusForbidden {
			t.Errorf("%s: answered by %d", name, status)
		}
	}
}

// TestAFormOfAnotherPageIsRefused: a write needs the token of our own form, and the
// origin; what is refused changes nothing.
func TestAFormOfAnotherPageIsRefused(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	at := "/memories/" + b.agent.id(nasty[0])
	token := b.token(at)
	pin := func(token string) url.Values {
		return url.Values{"do": {"pin"}, "back": {"/memories"}, "token": {token}}
	}
	for name, refused := range map[string]func() (int, string){
		"no token":      func() (int, string) { return b.send(http.MethodPost, at, pin("")) },
		"a wrong token": func() (int, string) { return b.send(http.MethodPost, at, pin(strings.Repeat("0", 64))) },
		"no origin":     func() (int, string) { return b.send(http.MethodPost, at, pin(token), header("Origin", "")) },
		"another origin": func() (int, string) {
			return b.send(http.MethodPost, at, pin(token), header("Origin", "http://evil.example"))
		},
		"undo":           func() (int, string) { return b.send(http.MethodPost, "/undo", url.Values{"run": {"r1"}}) },
		"another method": func() (int, string) { return b.send(http.MethodPut, at, pin(token)) },
	} {
		if status, _ := refused(); status != http.StatusForbidden && status != http.StatusMethodNotAllowed {
			t.Errorf("%s: answered by %d", name, status)
		}
	}
	if b.agent.changes != nil || b.agent.undone != nil {
		t.Errorf("changed %+v, undone %v", b.agent.changes, b.agent.undone)
	}
	if status, to := b.send(http.MethodPost, at, pin(token)); status != http.StatusSeeOther || !strings.HasPrefix(to, "/memories?done=pinned&run=") {
		t.Errorf("our own form is answered by %d, %s", status, to)
	}
	if len(b.agent.changes) != 1 || b.agent.changes[0].Pinned == nil || b.agent.changes[0].By != memory.ByDashboard {
		t.Errorf("changed %+v", b.agent.changes)
	}
	if status, to := b.send(http.MethodPost, "/undo", url.Values{"run": {"r1"}, "token": {token}, "back": {"/memories?done=pinned&run=r1"}}); status != http.StatusSeeOther || to != "/memories?done=undone" {
		t.Errorf("undo is answered by %d, %s", status, to)
	}
	if len(b.agent.undone) != 1 {
		t.Errorf("undone %v", b.agent.undone)
	}
}

// TestAFormLeadsBackToOurPages: an address of another site in the form leads nowhere
// else.
func TestAFormLeadsBackToOurPages(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	at := "/memories/" + b.agent.id(nasty[0])
	token := b.token(at)
	for _, to := range []string{"http://evil.example/", "//evil.example/", `/\evil.example`, "javascript:alert(1)", "", "evil"} {
		_, location := b.send(http.MethodPost, at, url.Values{"do": {"pin"}, "token": {token}, "back": {to}})
		if !strings.HasPrefix(location, "/?done=pinned") {
			t.Errorf("back to %q leads to %s", to, location)
		}
	}
}

var (
	ownTag    = regexp.MustCompile(`<(/?[a-zA-Z!][^>]*)>`)
	attribute = regexp.MustCompile(`\s(on\w+|style|srcdoc)\s*=`)
)

// TestStoredTextStaysText: whatever a memory, project, session or run says, the page has
// no element, handler or style of it.
func TestStoredTextStaysText(t *testing.T) {
	b := newBrowserAt(t, dashboard.Options{Folder: filepath.Join(t.TempDir(), "run"), Settings: func() []dashboard.Setting {
		return []dashboard.Setting{{Key: "store.url", Text: nasty[0], Value: nasty[1], Default: nasty[2], Origin: nasty[3]}}
	}})
	b.enter()
	pages := []string{
		"/", "/memories", "/memories?q=x", "/memories?project=%3Cscript%3E&q=%3Cscript%3E&kind=%22%3E%3Cscript%3E&tag=%3Cscript%3E", "/?done=pinned&run=%22%3E%3Cscript%3E", "/memories/none",
		"/sessions", "/state", "/sessions/x", "/review", "/why", "/why?prompt=x&session=s&at=2026-11-22T12:00:00Z", "/why?prompt=%3Cscript%3Ealert%281%29", "/preview", "/live", "/model", "/model?estimate=1", "/model/questions?session=x", "/settings", "/maintenance", "/maintenance/plan", "/maintenance/plan?job=prune", "/maintenance/runs/r7",
	}
	for _, text := range nasty {
		pages = append(pages, "/memories/"+b.agent.id(text))
	}
	ownScript := regexp.MustCompile(`^script src="` + b.below + `/static/[\w.]+\.js" defer$`)
	for _, path := range pages {
		status, page := b.get(path)
		if status != http.StatusOK && path != "/memories/none" {
			t.Errorf("%s is answered by %d: %s", path, status, page)
		}
		for _, tag := range ownTag.FindAllStringSubmatch(page, -1) {
			name, _, _ := strings.Cut(strings.TrimPrefix(tag[1], "/"), " ")
			isOwnScript := ownScript.MatchString(tag[1]) || tag[1] == "/script"
			switch {
			case name == "script" && !isOwnScript, name == "style", name == "img", name == "svg", name == "iframe", strings.HasPrefix(name, "!--"),
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
	if status, _ := b.get("/memories?q=100%;"); status != http.StatusOK {
		t.Errorf("a search that was typed into the address: %d", status)
	}
	at := "/memories/" + b.agent.id(nasty[0])
	token := b.token(at)
	for _, do := range []url.Values{{"do": {"nothing"}}, {"do": {"edit"}, "content": {" "}}, {"do": {"weigh"}, "importance": {"much"}}, {"do": {"weigh"}, "importance": {"2"}}} {
		do.Set("token", token)
		if status, _ := b.send(http.MethodPost, at, do); status != http.StatusBadRequest {
			t.Errorf("%v is answered by %d", do, status)
		}
	}
	b.agent.setDown()
	if status, page := b.get("/preview"); status != http.StatusServiceUnavailable || !strings.Contains(page, "memory doctor") {
		t.Errorf("without a store: %d, %s", status, page)
	}
}

// TestTheProjectsAreReadInTheBackground: a page shows those that were read before, and
// has newer ones read.
func TestTheProjectsAreReadInTheBackground(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	b.get("/memories")
	before := b.agent.read.Load()
	b.get("/memories")
	if got := b.agent.read.Load(); got != before {
		t.Errorf("a second page reads the projects again: %d, then %d", before, got)
	}
	b.clock.set(noon.Add(time.Minute))
	for b.agent.read.Load() == before {
		b.get("/memories")
	}
}

// TestAVerdictIsAChange: what is confirmed gets a tag and weighs more, what is rejected
// is archived with a tag, and both lead back to the queue.
func TestAVerdictIsAChange(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	at, token := "/memories/"+b.agent.id(nasty[0]), b.token("/review")
	for do, want := range map[string]memory.Change{
		"confirm": {By: "dashboard", AddTags: []string{"confirmed"}, Importance: new(0.95)},
		"reject":  {By: "dashboard", AddTags: []string{"rejected"}, Status: memory.StatusArchived},
	} {
		if status, to := b.send(http.MethodPost, at, url.Values{"do": {do}, "token": {token}, "back": {"/review"}}); status != http.StatusSeeOther || !strings.HasPrefix(to, "/review?done="+do+"ed&run=") {
			t.Errorf("%s is answered by %d, %s", do, status, to)
		}
		got := b.agent.changes[len(b.agent.changes)-1]
		got.ID, got.At = "", time.Time{}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", do, diff)
		}
	}
}

// TestAMarkHasTheRightAnswerToAPrompt: the memory that it should be given, or none.
func TestAMarkHasTheRightAnswerToAPrompt(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	token := b.token("/why?prompt=x")
	for _, form := range []url.Values{{"prompt": {"x"}}, {"prompt": {"x"}, "memory": {"m1"}}} {
		form.Set("token", token)
		form.Set("back", "/why?prompt=x")
		if status, to := b.send(http.MethodPost, "/why?project=p", form); status != http.StatusSeeOther || to != "/why?done=marked&prompt=x" {
			t.Errorf("%v is answered by %d, %s", form, status, to)
		}
	}
	want := []agentapi.Mark{{Project: "p", Prompt: "x"}, {Project: "p", Prompt: "x", Memory: "m1"}}
	if diff := cmp.Diff(want, b.agent.marks); diff != "" {
		t.Error(diff)
	}
}

// TestMaintenanceSaysThatItWaits while a burst is ingested, and only then.
func TestMaintenanceSaysThatItWaits(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	const waits = "Maintenance waits: a burst of events has been coming in since "
	if status, text := b.get("/maintenance"); status != http.StatusOK || !strings.Contains(text, waits) {
		t.Errorf("beside a burst the page is %d\n%s", status, text)
	}
	b.agent.burst = nil
	if status, text := b.get("/maintenance"); status != http.StatusOK || strings.Contains(text, waits) {
		t.Errorf("without a burst the page is %d\n%s", status, text)
	}
}

// answers puts handlers before those of the fake. The dashboard asks for the projects from its beginning.
func (f *fake) answers(handlers ...agentapi.Handler) {
	f.handlers.Lock()
	defer f.handlers.Unlock()
	f.Handlers = append(handlers, f.Handlers...)
}

// TestAnEmptyDryRunSaysSoInOneCard, and has nothing to apply.
func TestAnEmptyDryRunSaysSoInOneCard(t *testing.T) {
	b := newBrowser(t)
	b.agent.answers(agentapi.MethodConsolidate.Handle(func(context.Context, agentapi.ConsolidateParams) ([]memory.Run, error) {
		return []memory.Run{{Job: "dedup", Examined: 4}, {Job: "prune", Examined: 3, Notes: []string{"the budget is kept"}}}, nil
	}))
	b.enter()
	_, page := b.get("/maintenance/plan")
	if strings.Count(page, `class="card`) != 1 || !strings.Contains(page, "Nothing would be changed: 2 jobs examined 4 memories") || strings.Contains(page, "Apply") {
		t.Errorf("the page is\n%s", page)
	}
}

// TestSessionsAreNamed: links to a session have its day and first words, of its prompt where it has no summary.
func TestSessionsAreNamed(t *testing.T) {
	b := newBrowser(t)
	const silent, done = "0123abcd-0000-4000-8000-000000000001", "0123abcd-0000-4000-8000-000000000002"
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	m := memory.Memory{ID: strings.Repeat("ab", 16), Project: "p", Status: memory.StatusActive, Scope: memory.ScopeProject, Session: done, CreatedAt: at, Content: "berths are booked in berth/book.go"}
	b.agent.answers(
		agentapi.MethodSessions.Handle(func(context.Context, agentapi.SessionsParams) ([]memory.Session, error) {
			return []memory.Session{
				{ID: silent, State: "active", StartedAt: at, PromptCount: 1},
				{ID: done, State: "completed", StartedAt: at, PromptCount: 2, Summary: memory.Summary{Digest: memory.Digest{Request: "do we retry a booking that failed because the harbour office was closed"}}},
			}, nil
		}),
		agentapi.MethodSession.Handle(func(_ context.Context, id string) (memory.SessionRecord, error) {
			return memory.SessionRecord{Session: memory.Session{ID: id}, Prompts: []memory.Prompt{{Text: "where do the pilots wait?", At: at, Session: id}}}, nil
		}),
		agentapi.MethodHistory.Handle(func(context.Context, agentapi.HistoryParams) (agentapi.HistoryResult, error) {
			return agentapi.HistoryResult{Row: memory.Row{Memory: m, Uses: 1, Sessions: 1, Projects: 1}, History: memory.History{Injected: []memory.Injection{{Session: "elsewhere-1", Hook: "start", At: at}}}}, nil
		}),
		agentapi.MethodFeed.Handle(func(context.Context, agentapi.FeedParams) (agentapi.FeedResult, error) {
			return agentapi.FeedResult{Items: []agentapi.FeedItem{
				{Number: 1, At: noon, Kind: agentapi.FeedInjected, Subject: "prompt", Project: "p", Session: done, Text: "[0123ab] berth 12 is closed", Memories: 1, Tokens: 1, TookMS: 0.7},
				{Number: 2, At: noon, Kind: agentapi.FeedInjected, Subject: "prompt", Project: "other", Session: silent, Text: "of another project", Memories: 1},
			}, Last: 2}, nil
		}),
	)
	b.enter()
	const named = `, do we retry a booking that failed because the harbour office…</a>`
	link := `<a href="` + b.below + `/sessions/` + done + `?project=p">21 Nov 12:00` + named
	for path, wants := range map[string][]string{
		"/sessions":              {"where do the pilots wait?", "<span>1 prompt</span>", "<span>2 prompts</span>"},
		"/sessions/" + silent:    {"<h1>where do the pilots wait?</h1>"},
		"/memories/" + m.ID:      {link, ">21 Nov 12:00, session elsewher</a>", "1 time ", "1 session of 1 project<"},
		"/live":                  {link, "1 memory, 1 token<", ">21 Nov 12:00, where do the pilots wait?</a>"},
		"/":                      {link, "[0123ab] berth 12 is closed"},
		"/why":                   {"2 memories injected</span>", "nothing injected</span>"},
		"/sessions?project=none": {"where do the pilots wait?"},
	} {
		_, page := b.get(path)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %s:\n%s", path, want, page)
			}
		}
	}
	_, page := b.get("/")
	if learned, injected, tiles := strings.Index(page, "<h2>New memories"), strings.Index(page, "<h2>Injected last"), strings.Index(page, `class="tiles"`); learned < 0 || injected < learned || tiles < injected {
		t.Errorf("the overview does not begin with the new memories and those injected last:\n%s", page)
	}
	if strings.Contains(page, "of another project") || !strings.Contains(page, "<details><summary>How long the agent takes") {
		t.Errorf("the overview shows another project, or how long the agent takes without a click:\n%s", page)
	}
}

// TestTheNavigationMarksThePageOrItsSection.
func TestTheNavigationMarksThePageOrItsSection(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	for path, want := range map[string]string{
		"/": `aria-current="page">Overview<`, "/memories/" + b.agent.id(nasty[0]): `aria-current="true">Memories<`, "/sessions/x": `aria-current="true">Timeline<`,
		"/maintenance/plan": `aria-current="true">Maintenance<`, "/model/questions?session=x": `aria-current="true">Model<`, "/state": `aria-current="true">Overview<`,
	} {
		if _, page := b.get(path); strings.Count(page, "aria-current") != 1 || !strings.Contains(page, want) {
			t.Errorf("%s does not mark %s once", path, want)
		}
	}
}

// TestTheTimelineHasDaysAsHeadings: one for each day, as people name it on the day after.
func TestTheTimelineHasDaysAsHeadings(t *testing.T) {
	b := newBrowser(t)
	local := noon.Local()
	var all []memory.Session
	for n, days := range []int{0, 0, 1, 3, 400} {
		at := time.Date(local.Year(), local.Month(), local.Day()-days, 9, 5, 0, 0, time.Local)
		all = append(all, memory.Session{ID: fmt.Sprintf("s%d", n), StartedAt: at, Summary: memory.Summary{Text: fmt.Sprintf("the session %d", n)}})
	}
	b.agent.answers(agentapi.MethodSessions.Handle(func(context.Context, agentapi.SessionsParams) ([]memory.Session, error) { return all, nil }))
	b.enter()
	_, page := b.get("/sessions")
	var got []string
	for _, one := range regexp.MustCompile(`<h2 class="day">([^<]*)</h2>|>(the session \d)<`).FindAllStringSubmatch(page, -1) {
		got = append(got, one[1]+one[2])
	}
	want := []string{"Today", "the session 0", "the session 1", "Yesterday", "the session 2", "Thursday, 19 November", "the session 3", all[4].StartedAt.Format("Monday, 2 January 2006"), "the session 4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b.agent.answers(agentapi.MethodSessions.Handle(func(context.Context, agentapi.SessionsParams) ([]memory.Session, error) { return nil, nil }))
	if _, page := b.get("/sessions"); !strings.Contains(page, "No session of this project is stored yet") || strings.Contains(page, `class="day"`) {
		t.Errorf("without sessions the timeline is\n%s", page)
	}
}

// TestADryRunIsAppliedByItsForm: looking at a plan changes nothing, and what it changed
// can be undone where the form leads.
func TestADryRunIsAppliedByItsForm(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	token := b.token("/maintenance/plan?job=prune")
	status, to := b.send(http.MethodPost, "/maintenance/apply", url.Values{"job": {"prune"}, "token": {token}, "back": {"/maintenance"}})
	if status != http.StatusSeeOther || to != "/maintenance?done=applied&run=r7" {
		t.Errorf("applied, answered by %d, %s", status, to)
	}
	want := []agentapi.ConsolidateParams{{Trigger: "dashboard", Job: "prune", DryRun: true}, {Trigger: "dashboard", Job: "prune"}}
	if diff := cmp.Diff(want, b.agent.consolidated); diff != "" {
		t.Error(diff)
	}
	if status, _ := b.get("/maintenance/plan?job=all"); status != http.StatusBadRequest {
		t.Errorf("a job that there is not: %d", status)
	}
	b.agent.run.Changed = 0
	if _, to := b.send(http.MethodPost, "/maintenance/apply", url.Values{"token": {token}, "back": {"/maintenance"}}); to != "/maintenance?done=idle" {
		t.Errorf("nothing to change leads to %s", to)
	}
}

// TestWhatHappensIsSentAsItHappens, from the item on that the page had last, escaped.
func TestWhatHappensIsSentAsItHappens(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+b.below+"/events?after=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := b.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var got string
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() && lines.Text() != ": alive" {
		got += lines.Text() + "\n"
	}
	if response.Header.Get("Content-Type") != "text/event-stream" || !strings.HasPrefix(got, "id: 2\ndata: <li") || strings.Contains(got, "id: 1\n") || !strings.Contains(got, "data: and more") {
		t.Errorf("sent\n%s", got)
	}
}

// TestAPlotIsNumbersForTheScriptAndATable.
func TestAPlotIsNumbersForTheScriptAndATable(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	_, page := b.get("/memories/" + b.agent.id(nasty[0]))
	found := regexp.MustCompile(`data-plot="([^"]*)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("there is no plot")
	}
	var plot struct{ Values [][]float64 }
	if err := json.Unmarshal([]byte(strings.ReplaceAll(found[1], "&#34;", `"`)), &plot); err != nil || len(plot.Values) != 3 || plot.Values[1][2] != 0.3 {
		t.Errorf("the plot is %+v, %v", plot, err)
	}
	if !strings.Contains(page, "<td>0.30</td>") {
		t.Error("its numbers are in no table")
	}
}

// TestTheStateIsWhatDoctorFinds, and memory doctor does not run for each look at it.
func TestTheStateIsWhatDoctorFinds(t *testing.T) {
	b := newBrowser(t)
	b.enter()
	for range 3 {
		if _, page := b.get("/state"); !strings.Contains(page, "spool.dead") || !strings.Contains(page, "3 checks") {
			t.Fatalf("the state is\n%s", page)
		}
	}
	if n := b.agent.examined.Load(); n != 1 {
		t.Errorf("memory doctor ran %d times", n)
	}
	b.agent.mu.Lock()
	b.agent.down = true
	b.agent.mu.Unlock()
	b.clock.set(noon.Add(2 * time.Minute))
	if _, page := b.get("/state"); !strings.Contains(page, "no doctor is here") || strings.Contains(page, "All checks passed") {
		t.Errorf("without memory doctor the state is\n%s", page)
	}
}
