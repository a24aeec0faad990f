//go:build ui

package ui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is headless Chromium that was let in. What it complains about, and each
// request to another host, fails the test.
type browser struct {
	t    *testing.T
	ctx  context.Context
	host string // the server, of which anything may be asked
	base string // what the pages are below

	profile string // the folder of what it keeps

	mu       sync.Mutex
	problems []string
	asked    int // requests
}

// chromium is the browser's program.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium: make ui installs Debian's package as root, else do that: apt-get install chromium")
	return ""
}

// launch starts the browser.
func launch(t *testing.T) *browser {
	t.Helper()
	profile := t.TempDir()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.WindowSize(wideWidth, pictureHeight), chromedp.UserDataDir(profile))
	if os.Geteuid() == 0 { // Chromium's sandbox refuses root
		options = append(options, chromedp.NoSandbox)
	}
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		cancel()
		cancelAllocator()
	})
	return &browser{t: t, ctx: ctx, profile: profile}
}

// open starts the browser with the file that memory open gives it.
func open(t *testing.T, file string) *browser {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`action="(http://127\.0\.0\.1:\d+)/`).FindSubmatch(page)
	if found == nil {
		t.Fatalf("the file leads nowhere:\n%s", page)
	}
	b := launch(t)
	b.host = string(found[1])
	chromedp.ListenTarget(b.ctx, b.watch)
	b.do(log.Enable(), network.Enable(), chromedp.Navigate("file://"+file), chromedp.WaitVisible("#main h1"))
	b.base = strings.TrimSuffix(b.location(), "/")
	return b
}

// watch notes what must not happen.
func (b *browser) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.asked++
		if to := e.Request.URL; !strings.HasPrefix(to, b.host+"/") && !strings.HasPrefix(to, "data:") && !strings.HasPrefix(to, "file:") {
			b.problems = append(b.problems, "a request to "+to)
		}
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, "exception: "+e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			b.problems = append(b.problems, fmt.Sprintf("console: %s", e.Args[0].Value))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			b.problems = append(b.problems, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.problems = append(b.problems, "a dialog: "+e.Message)
	}
}

// isQuiet fails the test if anything happened that must not.
func (b *browser) isQuiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.problems {
		b.t.Error(one)
	}
	b.problems = nil
	if b.asked == 0 {
		b.t.Error("no request was seen")
	}
}

func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	_ = ctx
	done := make(chan error, 1)
	go func() { done <- chromedp.Run(b.ctx, actions...) }()
	select {
	case err := <-done:
		if err != nil {
			b.t.Fatal(err)
		}
	case <-ctx.Done():
		var html string
		b.t.Logf("the page is %s", b.location())
		looking, cancel := context.WithTimeout(b.ctx, 5*time.Second)
		defer cancel()
		_ = chromedp.Run(looking, chromedp.OuterHTML("main", &html))
		b.t.Fatalf("the browser did not get there within 30 seconds:\n%s", html)
	}
}

func (b *browser) location() (at string) {
	_ = chromedp.Run(b.ctx, chromedp.Location(&at))
	return at
}

// loaded waits until a page's scripts have run: what is typed before goes nowhere.
var loaded = chromedp.Poll(`document.readyState === "complete"`, nil)

// goTo follows a link of the navigation.
func (b *browser) goTo(name string) {
	b.t.Helper()
	b.do(chromedp.Click(fmt.Sprintf(`//nav//a[text()=%q]`, name), chromedp.BySearch), chromedp.WaitVisible(fmt.Sprintf(`//nav//a[@aria-current and text()=%q]`, name), chromedp.BySearch), loaded)
	b.isQuiet()
}

// text is what an element shows.
func (b *browser) text(selector string) (text string) {
	b.t.Helper()
	b.do(chromedp.Text(selector, &text, chromedp.ByQuery))
	return text
}

// press clicks a button by its words and waits for what then is there.
func (b *browser) press(button, then string) {
	b.t.Helper()
	b.do(chromedp.Click(fmt.Sprintf(`//button[normalize-space()=%q]`, button), chromedp.BySearch), chromedp.ActionFunc(func(ctx context.Context) error {
		for { // the old page may go between a look for what is on it and a look at it
			err := chromedp.WaitVisible(then, chromedp.BySearch).Do(ctx)
			if err == nil || !strings.Contains(err.Error(), "Could not find node") {
				return err
			}
		}
	}))
	b.isQuiet()
}

// until waits until a page has words.
func (b *browser) until(words string) {
	b.t.Helper()
	// The title of a picture's part is a tooltip, and never visible by itself.
	b.do(chromedp.WaitVisible(fmt.Sprintf(`//main//*[local-name() != "title"][contains(normalize-space(), %q)]`, words), chromedp.BySearch))
}

// at opens a page by its path.
func (b *browser) at(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base+path), chromedp.WaitVisible("main h1"), loaded)
	b.isQuiet()
}
