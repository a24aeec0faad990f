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
	// inviteTime is how long a key can be used.
	inviteTime = 10 * time.Minute
	// mostBody is the maximum number of bytes of a form.
	mostBody = 64 << 10
)

// policy allows a page this server's style, images within the page, and nothing else. No script, other style or event
// handler in a page runs.
const policy = "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard decides which requests are answered: requests from our own pages in a browser that has brought a key from the
// daemon. Other processes of the machine can connect, and other sites can send the browser here.
type guard struct {
	host string // 127.0.0.1 with the port
	// base is the secret path below which all pages are. A browser sends a cookie to every port of 127.0.0.1, but
	// only below the cookie's path, so other servers there do not get it.
	base   string
	folder string // folder of the files that contain a key
	now    func() time.Time

	mu       sync.Mutex
	unused   invite          // the newest key, unless it was used
	visitors map[secret]bool // cookies of the browsers that were let in
}

// secret is the hash of a key or cookie. The time of looking it up reveals nothing about the text.
type secret [sha256.Size]byte

func hashOf(text string) secret { return sha256.Sum256([]byte(text)) }

// invite is a key that was not used yet. A later key makes it invalid.
type invite struct {
	key   secret
	until time.Time
	file  string // file that contains the key, removed with the invite; "": none
}

// newGuard returns a guard. It removes the files of a killed daemon, whose keys do not work any more.
func newGuard(host, folder string, now func() time.Time) *guard {
	left, _ := filepath.Glob(filepath.Join(folder, entries)) // the pattern is valid
	for _, file := range left {
		_ = os.Remove(file)
	}
	return &guard{
		host: host, base: "/" + strings.ToLower(rand.Text()), folder: folder, now: now,
		visitors: map[secret]bool{},
	}
}

// invite returns a new key that lets one browser in, and, if wanted, a file that sends the key. The earlier key stops working.
func (g *guard) invite(wantsFile bool) (key, file string, err error) {
	key = rand.Text()
	if wantsFile {
		if file, err = writeEntry(g.folder, g.host, key); err != nil {
			return "", "", err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget()
	g.unused = invite{hashOf(key), g.now().Add(inviteTime), file}
	return key, file, nil
}

// forget deletes the invite and its file. The caller holds the mutex.
func (g *guard) forget() {
	if file := g.unused.file; file != "" {
		_ = os.Remove(file) // if this fails, the key in the file still does not work any more
	}
	g.unused = invite{}
}

func (g *guard) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget()
}

// redeem exchanges a key for a cookie. A key works once.
func (g *guard) redeem(key string) (cookie string, isGood bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.unused
	if hashOf(strings.ToUpper(strings.TrimSpace(key))) != one.key {
		return "", false
	}
	g.forget()
	if !g.now().Before(one.until) {
		return "", false
	}
	cookie = rand.Text()
	g.visitors[hashOf(cookie)] = true
	return cookie, true
}

// cookie returns the name of the cookie. It contains the port, because a user may have several daemons.
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

// protect returns a handler that passes permitted requests to pages, and shows others the form for a key.
func (g *guard) protect(pages http.Handler) http.Handler {
	pages = http.StripPrefix(g.base, http.MaxBytesHandler(pages, mostBody)) // the pages' routes are without the base
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+stylePath, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "style.css") })
	mux.HandleFunc("POST "+enterPath, g.enter)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, g.base+"/") || !g.isVisitor(r) {
			askForKey(w, r)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the answer may take long, for example maintenance
		pages.ServeHTTP(w, r)
	})
	ownForms := http.NewCrossOriginProtection()
	ownForms.AddInsecureBypassPattern("POST " + enterPath) // the file with a key has no origin, and anybody with a key may enter
	inner := ownForms.Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		if r.Host != g.host { // another name that resolves to this machine
			http.Error(w, "The address of the dashboard is http://"+g.host+"/; other names for this machine are refused.", http.StatusForbidden)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// enterPath receives a key. stylePath is the style of all pages, also of the page that asks for a key.
const (
	enterPath = "/enter"
	stylePath = "/style.css"
)

// enter lets in a browser that brings a key.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	value, isGood := g.redeem(r.PostFormValue("key"))
	if !isGood {
		doorPage{
			Title: "This key does not work",
			Text:  "It may be mistyped, used before, older than ten minutes, or replaced by a later one: check it, or run memory open again.",
		}.write(w, http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie(), Value: value, Path: g.base + "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	// Not a redirection: the browser would count it as started by the local file, and not send the SameSite=Strict cookie.
	doorPage{Title: "The dashboard opens", To: g.base + "/"}.write(w, http.StatusOK)
}

// askForKey shows a form for the key, whatever was requested, so that somebody without a key learns nothing, not even
// the pages' path.
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
	To          string // address that the browser goes to by itself; empty: it stays
	AsksForKey  bool
}

var doorTemplate = template.Must(template.ParseFS(files, "templates/door.html"))

func (p doorPage) write(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = doorTemplate.Execute(w, p) // an error means that the browser has gone
}

// entries is the pattern of the names of the files that let a browser in.
const entries = "open-*.html"

// entry is a page that sends a key when it is loaded. The key is then in no process argument, which other users could read,
// and in no address, which a browser would remember. The field is a password, because a browser remembers other fields, too.
var entry = template.Must(template.New("entry").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Memory</title>
<form method="post" action="http://{{.Host}}/enter"><input type="password" name="key" value="{{.Key}}" autocomplete="off" hidden><button>Open the memories</button></form>
<script>document.forms[0].submit()</script></html>
`))

// writeEntry writes a key to a new file that only this user can read.
func writeEntry(folder, host, key string) (path string, err error) {
	var file *os.File
	if err = private.Make(folder); err == nil {
		file, err = os.CreateTemp(folder, entries) // makes a file with mode 0600
	}
	if err == nil {
		err = errors.Join(entry.Execute(file, struct{ Host, Key string }{host, key}), file.Close())
		if err == nil {
			return file.Name(), nil
		}
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return "", fmt.Errorf("write the dashboard's key for the browser: %w", err)
}
