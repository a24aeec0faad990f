//go:build ui

package ui

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// recorder is a server on another port of 127.0.0.1, such as another user's: it notes the
// cookies that browsers send it, and where they say they come from.
type recorder struct {
	mu   sync.Mutex
	got  []string
	seen int
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen++
	for _, name := range []string{"Cookie", "Referer", "Authorization"} {
		if value := request.Header.Get(name); value != "" && !strings.HasPrefix(value, "http://"+request.Host) {
			r.got = append(r.got, request.URL.Path+" "+name+": "+value)
		}
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte(`<!doctype html><title>other</title><h1>other</h1><img src="/picture"><iframe src="/memories"></iframe>`))
}

// TestAnotherServerGetsNothingOfTheSession: whatever of it a browser visits that was let
// in to the dashboard, by a link or by its address.
func TestAnotherServerGetsNothingOfTheSession(t *testing.T) {
	s := newStage(t)
	b := open(t, s.entry())
	other := &recorder{}
	server := httptest.NewServer(other)
	defer server.Close()
	b.do(chromedp.Evaluate(`location.href = "`+server.URL+`/by-a-link"`, nil), chromedp.WaitVisible(`//h1[.="other"]`, chromedp.BySearch))
	for _, path := range []string{"/", "/memories", "/enter", "/style.css", "/sessions"} {
		b.do(chromedp.Navigate(server.URL+path), chromedp.WaitVisible(`//h1[.="other"]`, chromedp.BySearch))
	}
	other.mu.Lock()
	defer other.mu.Unlock()
	if other.seen < 6 || len(other.got) > 0 {
		t.Errorf("in %d requests another server got %q", other.seen, other.got)
	}
	b.do(chromedp.Navigate(b.base+"/"), chromedp.WaitVisible("main h1")) // the session is still there
}

// TestTheKeyStaysNowhere: the file is removed, and no address that the browser keeps has
// the key; nor has what the daemon logs.
func TestTheKeyStaysNowhere(t *testing.T) {
	s := newStage(t)
	file := s.entry()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`name="key" value="([A-Z2-7]+)"`).FindSubmatch(content)
	if found == nil {
		t.Fatalf("the file has no key:\n%s", content)
	}
	key := string(found[1])
	b := open(t, file)
	b.isQuiet()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	var entries []*page.NavigationEntry
	b.do(chromedp.NavigationEntries(&[]int64{0}[0], &entries))
	for _, entry := range entries {
		if strings.Contains(entry.URL+entry.Title+entry.UserTypedURL, key) {
			t.Errorf("the history has %+v", entry)
		}
	}
	if len(entries) == 0 {
		t.Error("there is no history")
	}
	b.kept(key)
	if said := s.memory("daemon", "logs"); strings.Contains(said, key) || !strings.Contains(said, "the dashboard listens") {
		t.Errorf("the log says\n%s", said)
	}
}

// kept fails the test if the browser, once it has ended, keeps a text in a file, as bytes or
// as pairs of bytes.
func (b *browser) kept(text string) {
	b.t.Helper()
	if err := chromedp.Cancel(b.ctx); err != nil {
		b.t.Fatal(err)
	}
	wide := []byte(strings.Join(strings.Split(text, ""), "\x00"))
	files := 0
	err := filepath.WalkDir(b.profile, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) || bytes.Contains(content, wide) {
			b.t.Errorf("the browser keeps the key in %s", path)
		}
		return err
	})
	if err != nil || files == 0 {
		b.t.Errorf("the browser keeps %d files, %v", files, err)
	}
}

// TestAKeyIsTyped at the address that memory open --print shows, for a browser that cannot
// read the file.
func TestAKeyIsTyped(t *testing.T) {
	s := newStage(t)
	printed := s.memory("open", "--print")
	found := regexp.MustCompile(`^(http://127\.0\.0\.1:\d+/)\nenter this key there: ([A-Z2-7]{26})\n$`).FindStringSubmatch(printed)
	if found == nil {
		t.Fatalf("printed is %q", printed)
	}
	b := launch(t)
	b.do(chromedp.Navigate(found[1]), chromedp.WaitVisible(".door .card"))
	b.do(chromedp.SendKeys(`input[name="key"]`, found[2]), chromedp.Submit("form"), chromedp.WaitVisible("#main h1"))
	if got := b.text("h1"); got != "Memories" {
		t.Errorf("the key leads to %q", got)
	}
	b.do(chromedp.Navigate(strings.TrimSuffix(b.location(), "/")+"/nowhere"), chromedp.WaitVisible(`//h1[.="Not found"]`, chromedp.BySearch))
}
