package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	// inviteTime is how long an address may wait to be opened.
	inviteTime = 10 * time.Minute
	// mostInvites and mostVisitors bound what is kept; the oldest give way.
	mostInvites  = 32
	mostVisitors = 32
	// mostBody bounds what a form may send, in bytes.
	mostBody = 64 << 10
)

// policy lets a page load what this server serves and nothing else: no script, style or
// handler inside the page runs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard decides which requests are answered: those of a browser that has opened an
// address which the agent gave out, from our own pages. Other processes of the machine
// can connect, and other sites can send the browser here.
type guard struct {
	host   string // 127.0.0.1 and the port
	now    func() time.Time
	secret [32]byte

	mu       sync.Mutex
	invites  []ticket // by their tokens
	visitors []ticket // by the hash of their cookies
}

// ticket is something secret that is good until a time.
type ticket struct {
	secret string
	until  time.Time
}

func newGuard(host string, now func() time.Time) *guard {
	g := &guard{host: host, now: now}
	_, _ = rand.Read(g.secret[:]) // never fails since Go 1.24
	return g
}

// invite is a token that lets one browser in.
func (g *guard) invite() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	token := random()
	g.invites = append(g.invites, ticket{g.hash(token), g.now().Add(inviteTime)})
	g.invites = g.invites[max(0, len(g.invites)-mostInvites):]
	return token
}

// redeem takes a token, which is good once.
func (g *guard) redeem(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	hash := g.hash(token)
	for i, one := range g.invites {
		if one.secret == hash {
			g.invites = append(g.invites[:i:i], g.invites[i+1:]...)
			return g.now().Before(one.until)
		}
	}
	return false
}

// welcome gives a browser its cookie.
func (g *guard) welcome(w http.ResponseWriter) {
	value := random()
	g.mu.Lock()
	g.visitors = append(g.visitors, ticket{secret: g.hash(value)})
	g.visitors = g.visitors[max(0, len(g.visitors)-mostVisitors):]
	g.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: g.cookie(), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// cookie is the name of the cookie: browsers don't keep those of different ports apart.
func (g *guard) cookie() string {
	at, _ := url.Parse("http://" + g.host)
	return "memory-" + at.Port()
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
	for _, one := range g.visitors {
		if one.secret == hash {
			return cookie.Value, true
		}
	}
	return "", false
}

// formToken is what a form of this browser's pages sends along.
func (g *guard) formToken(cookie string) string {
	mac := hmac.New(sha256.New, g.secret[:])
	mac.Write([]byte("form " + cookie))
	return hex.EncodeToString(mac.Sum(nil))
}

// protect answers requests by next if they may be answered.
func (g *guard) protect(next http.Handler) http.Handler {
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
			http.Error(w, reason, http.StatusForbidden)
			return
		}
		if r.URL.Path == enterPath && r.Method == http.MethodGet {
			g.enter(w, r)
			return
		}
		cookie, known := g.visitor(r)
		if !known {
			http.Error(w, "this address needs the key that memory open prints: run memory open again", http.StatusForbidden)
			return
		}
		switch r.Method {
		case http.MethodGet, http.MethodHead:
		case http.MethodPost:
			r.Body = http.MaxBytesReader(w, r.Body, mostBody)
			if r.Header.Get("Origin") == "" || !g.sentByOurForm(r, cookie) {
				http.Error(w, "the form is not one of this page: load the page again", http.StatusForbidden)
				return
			}
		default:
			http.Error(w, "only GET and POST are answered", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// foreign says why a request does not come from our own pages, or "".
func (g *guard) foreign(r *http.Request) string {
	if r.Host != g.host {
		return "the host is not " + g.host
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+g.host {
		return "the request comes from another site"
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "same-origin" && site != "none" && r.URL.Path != enterPath {
		return "the request comes from another site"
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

// enterPath is where an address of memory open leads.
const enterPath = "/enter"

// enter lets a browser in that brings a token. One that is in already may load its
// address again.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	if !g.redeem(r.URL.Query().Get("key")) {
		if _, known := g.visitor(r); !known {
			http.Error(w, "this address was opened before, or is older than "+inviteTime.String()+": run memory open again", http.StatusForbidden)
			return
		}
	} else {
		g.welcome(w)
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (g *guard) hash(secret string) string {
	mac := hmac.New(sha256.New, g.secret[:])
	mac.Write([]byte(secret))
	return hex.EncodeToString(mac.Sum(nil))
}

func random() string {
	var bytes [32]byte
	_, _ = rand.Read(bytes[:]) // never fails since Go 1.24
	return hex.EncodeToString(bytes[:])
}
