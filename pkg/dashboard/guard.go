package dashboard

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

const (
	// inviteTime is how long a key may wait to be used.
	inviteTime = 10 * time.Minute
	// mostBody bounds the body of a form, in bytes.
	mostBody = 64 << 10
)

// policy lets a page load the style of this server and nothing else: no script, no other
// style and no handler inside the page runs.
const policy = "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard decides which requests are answered: those of a browser that brought a key which
// the daemon gave out, from our own pages. Other processes of the machine can connect, and
// other sites can send the browser here.
type guard struct {
	host string // 127.0.0.1 and the port
	// base is the path that all pages are below. Cookies know no ports: a browser sends ours
	// to every server on 127.0.0.1, but only below this path, which nobody else knows.
	base   string
	folder string // of the files that hold a key
	now    func() time.Time

	mu       sync.Mutex
	invites  map[secret]invite
	visitors map[secret]bool // the cookies of the browsers that were let in
}

// secret is the hash of a key or a cookie: looking it up takes no time that tells about the text.
type secret [sha256.Size]byte

func hashOf(text string) secret { return sha256.Sum256([]byte(text)) }

// invite is a key that is good until a time.
type invite struct {
	until time.Time
	file  string // holds the key; removed with the invite; "": none
}

// newGuard makes a guard, and removes the files that a killed daemon has left; their keys died with it.
func newGuard(host, folder string, now func() time.Time) *guard {
	left, _ := filepath.Glob(filepath.Join(folder, entries)) // the pattern is right
	for _, file := range left {
		_ = os.Remove(file)
	}
	return &guard{
		host: host, base: "/" + strings.ToLower(rand.Text()), folder: folder, now: now,
		invites: map[secret]invite{}, visitors: map[secret]bool{},
	}
}

// invite makes a key that lets one browser in, and writes a file that brings it, if one is wanted.
func (g *guard) invite(wantsFile bool) (key, file string, err error) {
	key = rand.Text()
	if wantsFile {
		if file, err = writeEntry(g.folder, g.host, key); err != nil {
			return "", "", err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for hash, one := range g.invites {
		if !g.now().Before(one.until) {
			g.forget(hash)
		}
	}
	g.invites[hashOf(key)] = invite{g.now().Add(inviteTime), file}
	return key, file, nil
}

// forget drops an invite with its file. The caller holds the mutex.
func (g *guard) forget(hash secret) {
	if file := g.invites[hash].file; file != "" {
		_ = os.Remove(file) // its key is good for nothing from now on
	}
	delete(g.invites, hash)
}

// forgetAll drops all invites with their files.
func (g *guard) forgetAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for hash := range g.invites {
		g.forget(hash)
	}
}

// redeem takes a key, which is good once, and returns the cookie for it.
func (g *guard) redeem(key string) (cookie string, isGood bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	hash := hashOf(strings.ToUpper(strings.TrimSpace(key)))
	one := g.invites[hash] // of none the time is over
	g.forget(hash)
	if !g.now().Before(one.until) {
		return "", false
	}
	cookie = rand.Text()
	g.visitors[hashOf(cookie)] = true
	return cookie, true
}

// cookie is the name of the cookie: two daemons of one user need two.
func (g *guard) cookie() string {
	_, port, _ := net.SplitHostPort(g.host)
	return "memory-" + port
}

// isVisitor reports whether a request comes from a browser that was let in.
func (g *guard) isVisitor(r *http.Request) bool {
	cookie, err := r.Cookie(g.cookie())
	if err != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.visitors[hashOf(cookie.Value)]
}

// protect answers requests by pages if they may be answered.
func (g *guard) protect(pages http.Handler) http.Handler {
	pages = http.StripPrefix(g.base, http.MaxBytesHandler(pages, mostBody)) // pages don't know the path they are below
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+stylePath, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "style.css") })
	mux.HandleFunc("POST "+enterPath, g.enter)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, g.base+"/") || !g.isVisitor(r) {
			askForKey(w, r)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // its answer may take long: maintenance
		pages.ServeHTTP(w, r)
	})
	ownForms := http.NewCrossOriginProtection()
	ownForms.AddInsecureBypassPattern("POST " + enterPath) // a file has no origin, and who has the key may enter
	inner := ownForms.Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		if r.Host != g.host { // a name that was made to lead here
			http.Error(w, "The address of the dashboard is http://"+g.host+"/; other names for this machine are refused.", http.StatusForbidden)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// enterPath is where a key is sent, and stylePath the style of all pages, also of those before the key.
const (
	enterPath = "/enter"
	stylePath = "/style.css"
)

// enter lets a browser in that brings a key.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	value, isGood := g.redeem(r.PostFormValue("key"))
	if !isGood {
		doorPage{
			Title: "This key does not work",
			Text:  "It was used before, or is older than ten minutes: run memory open again.",
		}.write(w, http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie(), Value: value, Path: g.base + "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	// A redirection would still be the file's request, and go without the cookie.
	doorPage{Title: "The dashboard opens", To: g.base + "/"}.write(w, http.StatusOK)
}

// askForKey shows a form for the key, whatever was asked for: who has none learns nothing,
// not even where the pages are.
func askForKey(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	if r.URL.Path != "/" || r.Method != http.MethodGet {
		status = http.StatusForbidden
	}
	doorPage{Title: "Open the dashboard", AsksForKey: true}.write(w, status)
}

// doorPage is a page for a browser that was not let in yet.
type doorPage struct {
	Title, Text string
	To          string // where the browser goes on by itself; empty: it stays
	AsksForKey  bool
}

var doorTemplate = template.Must(template.ParseFS(files, "templates/door.html"))

func (p doorPage) write(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = doorTemplate.Execute(w, p) // the browser has gone
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
