package dashboard_test

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// modelHandlers answer the questions of the page about the model.
func modelHandlers(status *daemonapi.DistillStatus, totals ...memory.SpendTotal) []daemonapi.Handler {
	return []daemonapi.Handler{
		daemonapi.MethodSpend.Handle(func(context.Context, int) (daemonapi.SpendResult, error) {
			return daemonapi.SpendResult{Totals: totals, Status: *status}, nil
		}),
	}
}

func TestThePageOfTheModelShowsItsCostByDay(t *testing.T) {
	b := newBrowser(t)
	status := &daemonapi.DistillStatus{Enabled: true, Receiver: "the harbour's own model", SessionTokens: 40_000, DayTokens: 200_000, Today: 5_100, Waiting: 1, Stopped: "the limit of the day is reached"}
	b.daemon.answers(modelHandlers(status,
		memory.SpendTotal{Day: "2026-11-21", Calls: 2, Input: 9_000, Output: 700, USD: 0.0012},
		memory.SpendTotal{Day: "2026-11-22", Calls: 2, Failed: 1, Input: 4_900, Output: 200},
	)...)
	b.enter()
	_, page := b.get("/model")
	for _, want := range []string{
		">on</span>", "the harbour&#39;s own model", "1 session waiting", "the limit of the day is reached",
		`<td>2026-11-22</td><td class="number">2</td><td class="number">1</td><td class="number">4900</td><td class="number">200</td><td class="number"><span class="soft">not reported`,
		`<td>2026-11-21</td><td class="number">2</td><td class="number">0</td><td class="number">9000</td><td class="number">700</td><td class="number">$0.0012</td>`,
		"14800 tokens, $0.0012 in 4 calls",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	if strings.Index(page, "2026-11-22") > strings.Index(page, "2026-11-21") {
		t.Error("the latest day is not the first")
	}
}

// TestTheFormSwitchesTheModel writes the decision.
func TestTheFormSwitchesTheModel(t *testing.T) {
	var written []bool
	status := &daemonapi.DistillStatus{}
	b := newBrowserAt(t, dashboard.Options{Folder: filepath.Join(t.TempDir(), "run"), Save: func(key, value string) error {
		on := value == "true"
		musttest.Same(t, config.DistillEnabled, key, "the key that is written")
		written, status.Enabled = append(written, on), on
		return nil
	}})
	b.daemon.answers(modelHandlers(status)...)
	b.enter()
	_, page := b.get("/model")
	if !strings.Contains(page, "Switch on") || !strings.Contains(page, "No session is sent to a model") {
		t.Fatalf("switched off, the page is\n%s", page)
	}
	press := func(do, want string) {
		t.Helper()
		code, to := b.send(http.MethodPost, "/model", url.Values{"do": {do}, "back": {"/model"}})
		if code != http.StatusSeeOther || to != "/model?done="+want {
			t.Errorf("%s is answered by %d, %s; want %s", do, code, to, want)
		}
	}
	press("on", "modelOn")
	if _, page := b.get("/model?done=modelOn"); !strings.Contains(page, "Switch off") || !strings.Contains(page, "On: from now on a model reads") {
		t.Errorf("switched on, the page is\n%s", page)
	}
	press("off", "modelOff")
	musttest.Same(t, []bool{true, false}, written, "the settings that were written")
	for _, form := range []url.Values{{"do": {"maybe"}}, {}} {
		musttest.Same(t, http.StatusBadRequest, statusOf(b.send(http.MethodPost, "/model", form)), "%v", form)
	}
	musttest.Same(t, 2, len(written), "a form that was refused has written %v", written)
}

// TestTheFormSwitchesWhatIsKept writes the decision, and the notice is about what is in force afterwards.
func TestTheFormSwitchesWhatIsKept(t *testing.T) {
	var written []string
	keep, isFixed := config.KeepEverything, false
	b := newBrowserAt(t, dashboard.Options{
		Folder: filepath.Join(t.TempDir(), "run"), OnlyAsked: func() bool { return keep == config.KeepAsked },
		Save: func(key, value string) error {
			if written = append(written, key+"="+value); !isFixed {
				keep = value
			}
			return nil
		},
	})
	b.daemon.answers(daemonapi.MethodList.Handle(func(context.Context, daemonapi.ListParams) (daemonapi.ListResult, error) {
		return daemonapi.ListResult{}, nil
	}))
	b.enter()
	press := func(offered, do, want, says string) {
		t.Helper()
		if _, page := b.get("/"); !strings.Contains(page, offered) {
			t.Errorf("%q is not offered by the page\n%s", offered, page)
		}
		code, to := b.send(http.MethodPost, "/keep", url.Values{"do": {do}, "back": {"/"}})
		if code != http.StatusSeeOther || to != "/?done="+want {
			t.Errorf("%s is answered by %d, %s; want %s", do, code, to, want)
		}
		if _, page := b.get("/?done=" + want); !strings.Contains(page, says) {
			t.Errorf("%q is not on the page\n%s", says, page)
		}
	}
	press("Keep only what I ask for", "asked", "keepAsked", "Only what you ask for becomes a memory:")
	press("Keep every lasting statement", "everything", "keepAll", "Every lasting statement becomes a memory:")
	isFixed = true
	press("Keep only what I ask for", "asked", "keepFixed", "MEMORY_CAPTURE_KEEP in the environment")
	musttest.Same(t, http.StatusBadRequest, statusOf(b.send(http.MethodPost, "/keep", url.Values{"do": {"nothing"}})), "nothing")
	musttest.Same(t, []string{"capture.keep=asked", "capture.keep=everything", "capture.keep=asked"}, written, "the settings that were written")
}
