package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

const (
	// inviteTime is how long a key may wait to be used.
	inviteTime = 10 * time.Minute
	// mostInvites and mostVisitors bound the kept keys; the oldest give way.
	mostInvites  = 32
	mostVisitors = 32
	// mostBody bounds the body of a form, in bytes.
	mostBody = 64 << 10
	// mostKey bounds the body of the form for the key, in bytes.
	mostKey = 1 << 10
)

// policy lets a page load files of this server and nothing else: no script, style or
// handler inside the page runs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard decides which requests are answered: those of a browser that brought a key which
// the agent gave out, from our own pages. Other processes of the machine can connect, and
// other sites can send the browser here.
type guard struct {
	host string // 127.0.0.1 and the port
	// base is the path that all pages are below. Cookies know no ports: a browser sends ours
	// to every server on 127.0.0.1, but only below this path, which nobody else knows.
	base   string
	now    func() time.Time
	secret [32]byte

	mu       sync.Mutex
	invites  []invite // the oldest first
	visitors []string // the hashes of their cookies, the oldest first
}

// invite is a key that is good until a time.
type invite struct {
	hash  string
	until time.Time
	file  string // holds the key; removed with the invite; "": none
}

func newGuard(host string, now func() time.Time) *guard {
	g := &guard{host: host, now: now, base: "/" + strings.ToLower(rand.Text())}
	_, _ = rand.Read(g.secret[:]) // never fails since Go 1.24
	return g
}

// invite keeps a key that lets one browser in, with the file that holds it, if any.
func (g *guard) invite(key, file string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.invites = append(g.invites, invite{g.hash(key), g.now().Add(inviteTime), file})
	for len(g.invites) > mostInvites || !g.now().Before(g.invites[0].until) {
		g.forget(0)
	}
}

// forget drops an invite with its file. The caller holds the mutex.
func (g *guard) forget(at int) {
	if file := g.invites[at].file; file != "" {
		_ = os.Remove(file) // its key is good for nothing from now on
	}
	g.invites = append(g.invites[:at:at], g.invites[at+1:]...)
}

// forgetAll drops all invites with their files.
func (g *guard) forgetAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.invites) > 0 {
		g.forget(0)
	}
}

// redeem takes a key, which is good once.
func (g *guard) redeem(key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	hash := g.hash(strings.ToUpper(strings.TrimSpace(key)))
	for at, one := range g.invites {
		if one.hash == hash {
			g.forget(at)
			return g.now().Before(one.until)
		}
	}
	return false
}

// welcome gives a browser its cookie.
func (g *guard) welcome(w http.ResponseWriter) {
	value := rand.Text()
	g.mu.Lock()
	g.visitors = append(g.visitors, g.hash(value))
	g.visitors = g.visitors[max(0, len(g.visitors)-mostVisitors):]
	g.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie(), Value: value, Path: g.base + "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
}

// cookie is the name of the cookie: two agents of one user need two.
func (g *guard) cookie() string {
	_, port, _ := net.SplitHostPort(g.host)
	return "memory-" + port
}

// visitor returns the cookie of a browser that was let in.
func (g *guard) visitor(r *http.Request) (string, bool) {
	cookie, err := r.Cookie(g.cookie())
	if err != nil {
		return "", false
	}
	hash := g.hash(cookie.Value)
	g.mu.Lock()
	defer g.mu.Unlock()
	return cookie.Value, slices.Contains(g.visitors, hash)
}

// formToken is the token in the forms of this browser's pages.
func (g *guard) formToken(cookie string) string {
	return g.hash("form " + cookie)
}

// protect answers requests by next if they may be answered.
func (g *guard) protect(next http.Handler) http.Handler {
	inner := http.StripPrefix(g.base, next) // pages don't know the path they are below
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		if reason := g.foreign(r); reason != "" {
			refuse(w, http.StatusForbidden, reason)
			return
		}
		cookie, known := g.visitor(r)
		switch {
		case r.URL.Path == enterPath && r.Method == http.MethodPost:
			g.enter(w, r)
			return
		case !known || !strings.HasPrefix(r.URL.Path, g.base+"/"):
			g.askForKey(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		switch r.Method {
		case http.MethodGet, http.MethodHead:
		case http.MethodPost:
			if r.Header.Get("Origin") == "" || !g.sentByOurForm(r, cookie) {
				refuse(w, http.StatusForbidden, "The form is not from a page of this agent: go back, and load the page again.")
				return
			}
		default:
			refuse(w, http.StatusMethodNotAllowed, "Only GET and POST are answered.")
			return
		}
		if !hasCome(r) {
			refuse(w, http.StatusBadRequest, "The request is too long, or did not arrive in time.")
			return
		}
		// The answer may take long: maintenance, or the live feed.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		inner.ServeHTTP(w, r)
	})
}

// hasCome reads a request's body, a form or nothing.
func hasCome(r *http.Request) bool {
	_ = r.ParseForm() // unreadable fields are missing, as for a page
	_, err := io.Copy(io.Discard, r.Body)
	return err == nil
}

// foreign says why a request does not come from our own pages, or "". A key may come from
// a file, which browsers give no origin.
func (g *guard) foreign(r *http.Request) string {
	if r.Host != g.host {
		return "The address of the dashboard is http://" + g.host + "/; other names for this machine are refused."
	}
	entering := r.URL.Path == enterPath
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+g.host && (origin != "null" || !entering) {
		return "The request comes from another site."
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "same-origin" && site != "none" && !entering {
		return "The request comes from another site."
	}
	return ""
}

func (g *guard) sentByOurForm(r *http.Request, cookie string) bool {
	sent := r.Header.Get("X-Form-Token")
	if sent == "" {
		sent = r.PostFormValue("token")
	}
	return hmac.Equal([]byte(sent), []byte(g.formToken(cookie)))
}

// enterPath is where a key is sent.
const enterPath = "/enter"

// enter lets a browser in that brings a key.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, mostKey)
	if !g.redeem(r.PostFormValue("key")) {
		doorPage{
			Title: "This key does not work",
			Text:  "It was used before, or is older than ten minutes: run memory open again.",
		}.write(w, http.StatusForbidden)
		return
	}
	g.welcome(w)
	// A redirection would still be the file's request, and go without the cookie.
	doorPage{Title: "The dashboard opens", To: g.base + "/"}.write(w, http.StatusOK)
}

// askForKey shows a form for the key, whatever was asked for: who has none learns nothing,
// not even where the pages are.
func (g *guard) askForKey(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	if r.URL.Path != "/" || r.Method != http.MethodGet {
		status = http.StatusForbidden
	}
	doorPage{Title: "Open the dashboard", AsksForKey: true}.write(w, status)
}

func (g *guard) hash(secret string) string {
	mac := hmac.New(sha256.New, g.secret[:])
	mac.Write([]byte(secret))
	return hex.EncodeToString(mac.Sum(nil))
}

// entries are the names of the files that let a browser in.
const entries = "open-*.html"

// entry is a page that sends a key, once it is loaded. So the key stands in no argument of
// a process, which other users can read, and in no address, which a browser keeps. What a form
// sends is kept, too, for when the browser starts again, unless a field of it is a password.
var entry = template.Must(template.New("entry").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Memory</title>
<form method="post" action="http://{{.Host}}/enter"><input type="password" name="key" value="{{.Key}}" autocomplete="off" hidden><button>Open the memories</button></form>
<script>document.forms[0].submit()</script></html>
`))

// writeEntry leaves a key in a new file that only this user can read.
func writeEntry(folder, host, key string) (path string, err error) {
	if err := private.Make(folder); err != nil {
		return "", fmt.Errorf("leave the dashboard's key for the browser: %w", err)
	}
	file, err := os.CreateTemp(folder, entries) // with 0600
	if err != nil {
		return "", fmt.Errorf("leave the dashboard's key for the browser: %w", err)
	}
	err = entry.Execute(file, struct{ Host, Key string }{host, key})
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("leave the dashboard's key for the browser: %w", err), os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// removeEntries removes the files that a killed agent has left; its keys died with it.
func removeEntries(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, entries)) // the pattern is right
	for _, file := range left {
		_ = os.Remove(file)
	}
}
