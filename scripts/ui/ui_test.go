//go:build ui

package ui

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// attacks are memories that would run, load or hide something if they were not escaped.
var attacks = []string{
	`<script>document.title="owned"</script> the first attack`,
	`"><img src=x onerror="document.title='owned'"> the second attack`,
	`'><svg/onload="document.title='owned'"> the third attack`,
	`<iframe srcdoc="<script>parent.document.title='owned'</script>"></iframe> the fourth attack`,
	`<a href="javascript:document.title='owned'">click</a> the fifth attack`,
	`</textarea><style>body{display:none}</style> the sixth attack`,
	`<meta http-equiv=refresh content="0;url=http://evil.example/"> the seventh attack`,
	`<link rel=stylesheet href="//evil.example/x.css"> the eighth attack`,
}

// harbour is what is remembered of an invented project.
func (s *stage) harbour() {
	s.bring([]line{
		s.told(24, "decision", "semantic", "user", "We keep berth bookings in PostgreSQL and not in Redis, because they must survive a restart", 0.9, line{"files": []string{"booking/store.go"}}),
		s.told(21, "convention", "semantic", "user", "Times are stored in UTC and shown in the harbour's own zone", 0.8, nil),
		s.told(19, "fix", "procedural", "tool", "make migrate fails with \"relation berth does not exist\": run make seed first", 0.7, line{"command": "make migrate", "files": []string{"Makefile"}}),
		s.told(15, "correction", "semantic", "user", "Do not retry a booking on a timeout: look it up first", 0.9, line{"tags": []string{"booking"}}),
		s.told(12, "todo", "semantic", "user", "Replace the tide table of 2025 before January", 0.6, line{"tags": []string{"tides"}}),
		s.told(9, "discovery", "semantic", "assistant", "The slow berth search comes from a missing index on (harbour, starts_at)", 0.6, line{"tags": []string{"conclusion"}, "files": []string{"booking/search.go"}}),
		s.told(7, "convention", "semantic", "user", "Every handler takes a context and returns an error; none of them logs, because the middleware logs each request once with its user and its duration", 0.8, nil),
		s.told(5, "decision", "semantic", "user", "The public API is versioned in the path: /v2 from December on", 0.9, line{"pinned": true}),
		s.told(3, "failure", "episodic", "tool", "go test ./tide fails: the sandbox has no time zone data", 0.4, line{"command": "go test ./tide"}),
		s.told(2, "note", "semantic", "user", "Staging is at 10.2.0.14, port 6543; production only from the jump host", 0.7, nil),
		s.told(1, "preference", "semantic", "user", "Answer in short paragraphs, no bullet lists", 0.7, line{"scope": "user", "project": ""}),
		s.told(1, "todo", "semantic", "user", "Ask the harbour master whether two boats may share berth 12", 0.6, nil),
		s.session(1, "May two boats share a berth?", "The harbour master has to decide; a todo is noted"),
		s.session(2, "Where does staging listen?", "The staging address is noted"),
		s.session(2, "The booking list shows times in UTC", "The list shows the harbour's own zone"),
		s.session(9, "Why is the berth search slow?", "An index on harbour and start makes it fast"),
	})
}

// playedSession is the id of the session that is played.
const playedSession = "7f1c2d3e-0000-4000-8000-000000000001"

// play is a session of the client, by its hooks.
func (s *stage) play() {
	const session = playedSession
	s.hook("session-start", session, map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
	s.prompt(session, "do we retry a booking when it times out?")
	s.hook("post-tool-use", session, map[string]any{
		"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "t1",
		"tool_input":    map[string]any{"file_path": s.project + "/booking/retry.go", "old_string": "retry(3)", "new_string": "lookUp(id)"},
		"tool_response": map[string]any{"filePath": s.project + "/booking/retry.go"},
	})
	// It comes after the session's start, so that a prompt is the first to get it.
	s.memory("remember", "--kind", "note", "The crane at berth 7 is out of service until March")
	s.memory("daemon", "ingest")
	s.prompt(session, "can we use the crane at berth 7 for the new mast?")
	s.prompt(session, "write a poem about the sea at night")
	s.prompt(session, "Always look up a booking by its id before you change it. Never delete a booking, cancel it instead.")
	s.hook("stop", session, map[string]any{"hook_event_name": "Stop", "last_assistant_message": "A booking that times out is looked up before anything else. The retry loop is gone.", "stop_hook_active": false})
	s.hook("session-end", session, map[string]any{"hook_event_name": "SessionEnd", "reason": "prompt_input_exit"})
	s.memory("daemon", "ingest")
}

// TestTheDashboardInABrowser is one story: each part goes on where the one before it
// ended.
func TestTheDashboardInABrowser(t *testing.T) {
	s := newStage(t)
	s.harbour()
	b := open(t, s.entry())

	t.Run("search and open one", func(t *testing.T) {
		if got := b.text("h1"); got != "Memories" {
			t.Errorf("the address leads to %q", got)
		}
		b.picture("memories")
		b.do(chromedp.SendKeys("#q", "where is the staging server"), chromedp.Submit("#q"), chromedp.WaitVisible(`//p[contains(., "Ranked as for a prompt")]`, chromedp.BySearch))
		b.isQuiet()
		b.do(chromedp.Click(`//a[contains(., "10.2.0.14")]`, chromedp.BySearch), chromedp.WaitVisible(`//h2[.="Properties"]`, chromedp.BySearch))
		b.isQuiet()
	})
	t.Run("pin, forget, undo", func(t *testing.T) {
		b.press("Pin", `//button[.="Unpin"]`)
		b.press("Archive", `//span[.="archived"]`)
		if got := s.memory("list"); strings.Contains(got, "10.2.0.14") {
			t.Errorf("it is archived and listed:\n%s", got)
		}
		b.press("Undo", `//*[contains(., "Undone")]`)
		if got := s.memory("list"); !strings.Contains(got, "10.2.0.14") {
			t.Errorf("undone, it is not listed:\n%s", got)
		}
		b.until("pinned")
	})
	t.Run("sessions", func(t *testing.T) {
		s.play()
		b.goTo("Sessions")
		b.do(chromedp.Click("main .list a.what", chromedp.ByQuery), chromedp.WaitVisible(".moments"))
		b.isQuiet()
		b.until("do we retry a booking")
		b.picture("session")
	})
	t.Run("why this", func(t *testing.T) {
		b.do(chromedp.Click(`(//main//a[.="Why this?"])[1]`, chromedp.BySearch), chromedp.WaitVisible(`//h2[.="Left out now"]`, chromedp.BySearch))
		b.isQuiet()
		b.until("Nothing would be given now")
		b.picture("why")
		b.do(chromedp.SetValue(`main input[name="prompt"]`, "make migrate fails, what now?"), chromedp.Click(`//main//button[.="Ask"]`, chromedp.BySearch))
		b.until("it shares too few words with the prompt")
	})
	t.Run("undo a run", func(t *testing.T) {
		s.bring([]line{
			s.told(4, "note", "semantic", "assistant", "The gateway of the harbour retries on a connection error", 0.6, nil),
			s.told(3, "note", "semantic", "assistant", "The gateway of the harbour always retries on a connection error", 0.6, nil),
		})
		before := s.memory("list", "--json")
		s.memory("daemon", "consolidate", "--job", "dedup")
		if after := s.memory("list", "--json"); after == before {
			t.Error("run, it has changed nothing")
		}
		b.goTo("Maintenance")
		b.at("/maintenance")
		b.do(chromedp.Click(`(//a[.="dedup"])[1]`, chromedp.BySearch), chromedp.WaitVisible(`//h1[contains(., "Run of dedup")]`, chromedp.BySearch))
		b.do(chromedp.Click(`(//main//p[contains(., "merge")]//a)[last()]`, chromedp.BySearch), chromedp.WaitVisible(`//h2[.="Changes"]`, chromedp.BySearch))
		b.isQuiet()
		b.at("/maintenance")
		b.do(chromedp.Click(`(//tr[.//a[.="dedup"]]//button)[1]`, chromedp.BySearch), chromedp.WaitVisible(`//*[contains(., "Undone")]`, chromedp.BySearch))
		b.isQuiet()
		if after := s.memory("list", "--json"); len(after) != len(before) {
			t.Errorf("undone, it is\n%s\nand was\n%s", after, before)
		}
	})
	t.Run("the model", func(t *testing.T) {
		b.goTo("Model")
		b.until("No session is sent to a model")
		b.press("Switch on", `//button[.="Switch off"]`)
		b.until("your own Claude Code")
		s.memory("distill", playedSession)
		b.at("/model")
		b.until("$0.0031")
		b.until("Memories that the model wrote")
		b.picture("model")
		b.press("Switch off", `//button[.="Switch on"]`)
		if got := s.memory("config", "get", "distill.enabled"); got != "false\n" {
			t.Errorf("switched off on the page, distill.enabled is %q", got)
		}
	})
	t.Run("filters fit one row, and the open page is in sight", func(t *testing.T) {
		b.do(emulation.SetDeviceMetricsOverride(wideWidth, pictureHeight, 1, false))
		b.at("/")
		var rows int
		b.do(chromedp.Evaluate(`new Set([...document.querySelectorAll(".filters label")].map(label => Math.round(label.getBoundingClientRect().bottom))).size`, &rows))
		if rows != 1 {
			t.Errorf("at %d pixels the filters have %d rows", wideWidth, rows)
		}
		b.do(emulation.SetDeviceMetricsOverride(narrowWidth, pictureHeight, 1, true))
		for _, path := range []string{"/", "/model", "/maintenance"} {
			b.at(path)
			var isSeen bool
			b.do(chromedp.Evaluate(`(({left, right}) => left >= 0 && right <= innerWidth)(document.querySelector("nav [aria-current]").getBoundingClientRect())`, &isSeen))
			if !isSeen {
				t.Errorf("at %d pixels the navigation of %s does not show the open page", narrowWidth, path)
			}
		}
		b.do(emulation.ClearDeviceMetricsOverride())
	})
	t.Run("narrow screens", func(t *testing.T) {
		b.do(emulation.SetDeviceMetricsOverride(narrowWidth, pictureHeight, 1, true))
		for _, path := range []string{"/", "/sessions", "/why?prompt=do+we+retry+a+booking", "/model", "/maintenance"} {
			b.at(path)
			var wide int
			b.do(chromedp.Evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`, &wide))
			if wide > 0 {
				t.Errorf("%s is %d pixels wider than a narrow screen", path, wide)
			}
		}
		b.do(emulation.ClearDeviceMetricsOverride())
	})
	t.Run("by keys alone", func(t *testing.T) {
		b.at("/")
		var on string
		for range 40 {
			b.do(chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(`document.activeElement.className + " " + (document.activeElement.textContent || document.activeElement.name)`, &on))
			if strings.HasPrefix(on, "what ") {
				return
			}
		}
		t.Errorf("40 tabs lead to %q and no memory", on)
	})
	t.Run("attacks stay text", func(t *testing.T) {
		for _, attack := range attacks {
			s.memory("remember", attack)
		}
		s.memory("daemon", "ingest")
		b.at("/")
		var title, list string
		b.do(chromedp.Title(&title), chromedp.Text("#results", &list))
		for _, attack := range attacks {
			if !strings.Contains(list, attack[:20]) {
				t.Errorf("the list does not show %s", attack)
			}
		}
		var addresses []string
		b.do(chromedp.Evaluate(`[...document.querySelectorAll("#results a.what")].map(a => a.getAttribute("href"))`, &addresses))
		for _, address := range addresses[:len(attacks)] {
			b.at(strings.TrimPrefix(b.host+address, b.base))
			b.do(chromedp.Title(&title))
			if strings.Contains(title, "owned") {
				t.Errorf("%s has run", address)
			}
		}
	})
	t.Run("strangers are refused", func(t *testing.T) {
		for path, change := range map[string]func(*http.Request){
			"/": func(*http.Request) {}, "/memories": func(r *http.Request) { r.Host = "evil.example" },
			"/model": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.base+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			change(request)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != http.StatusForbidden {
				t.Errorf("%s is answered by %d", path, response.StatusCode)
			}
		}
	})
}
