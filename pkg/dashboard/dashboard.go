// Package dashboard serves the local web pages on which people look at the memories and
// correct them: templates, scripts and styles are embedded, and nothing is loaded from
// another host. It owns who may open them. It asks the agent for everything and knows
// no store.
package dashboard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// Dashboard serves the pages once somebody has asked for their address. Its methods are
// safe for concurrent use.
type Dashboard struct {
	options Options

	mu     sync.Mutex
	guard  *guard
	server *http.Server
	served chan struct{}
	// projects is read in the background; end ends that.
	projects *projects
	end      context.CancelFunc
}

// New makes a dashboard that does not listen yet.
func New(o Options) *Dashboard { return &Dashboard{options: o} }

// Open listens from the first time on, on a free port of 127.0.0.1, and returns a key
// that lets one browser in: to be typed at the address, or in a file that sends it from
// the browser, if one is wanted.
func (d *Dashboard) Open(_ context.Context, wanted agentapi.DashboardParams) (agentapi.DashboardResult, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server == nil {
		if err := d.listen(); err != nil {
			return agentapi.DashboardResult{}, err
		}
	}
	result, key := agentapi.DashboardResult{URL: "http://" + d.guard.host + "/"}, rand.Text()
	if wanted.File {
		file, err := writeEntry(d.options.Folder, d.guard.host, key)
		if err != nil {
			return agentapi.DashboardResult{}, err
		}
		result.File = file
	} else {
		result.Key = key
	}
	d.guard.invite(key, result.File)
	return result, nil
}

// requestTime bounds how long a request may take to come, with its body.
const requestTime = 10 * time.Second

func (d *Dashboard) listen() error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the dashboard: %w", err)
	}
	d.serve(listener)
	return nil
}

// serve answers on a listener until Close.
func (d *Dashboard) serve(listener net.Listener) {
	removeEntries(d.options.Folder)
	ctx, end := context.WithCancel(context.Background())
	d.end = end
	d.projects = &projects{agent: d.options.Agent, log: d.options.Log, now: d.options.Now, ended: ctx, reading: true}
	d.projects.running.Go(d.projects.refresh) // so that the first page need not
	d.guard = newGuard(listener.Addr().String(), d.options.Now)
	d.server = &http.Server{
		Handler:           handler(d.options, d.guard, d.projects),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: requestTime, IdleTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(d.options.Log.Handler(), slog.LevelDebug),
	}
	d.served = make(chan struct{})
	go func() {
		defer close(d.served)
		if err := d.server.Serve(newDoor(listener, d.options.UserOf, d.options.Log)); !errors.Is(err, http.ErrServerClosed) {
			d.options.Log.Error("the dashboard does not listen any more", "error", err)
		}
	}()
	d.options.Log.Info("the dashboard listens", "address", d.guard.host)
}

// Close ends all requests and stops listening.
func (d *Dashboard) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server == nil {
		return nil
	}
	d.end()
	d.guard.forgetAll()
	err := d.server.Close()
	<-d.served
	d.projects.running.Wait()
	return err
}

// handler answers all requests.
func handler(o Options, g *guard, all *projects) http.Handler {
	p := &pages{Options: o, guard: g, views: parseViews(), projects: all}
	if o.Examine != nil {
		p.health = &health{examine: o.Examine, now: o.Now, held: map[string]findings{}}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.show(p.overview))
	mux.HandleFunc("GET /state", p.show(p.state))
	mux.HandleFunc("GET /memories", p.show(p.memories))
	mux.HandleFunc("GET /memories/{id}", p.show(p.detail))
	mux.HandleFunc("POST /memories/{id}", p.take(p.change))
	mux.HandleFunc("POST /undo", p.take(p.undo))
	mux.HandleFunc("GET /sessions", p.show(p.sessions))
	mux.HandleFunc("GET /sessions/{session}", p.show(p.session))
	mux.HandleFunc("GET /review", p.show(p.review))
	mux.HandleFunc("GET /preview", p.show(p.preview))
	mux.HandleFunc("GET /why", p.show(p.why))
	mux.HandleFunc("POST /why", p.take(p.mark))
	mux.HandleFunc("GET /live", p.show(p.live))
	mux.HandleFunc("GET /events", p.events)
	mux.HandleFunc("GET /model", p.show(p.model))
	mux.HandleFunc("POST /model", p.take(p.switchModel))
	mux.HandleFunc("GET /model/questions", p.show(p.questions))
	mux.HandleFunc("GET /settings", p.show(p.settings))
	mux.HandleFunc("GET /maintenance", p.show(p.maintenance))
	mux.HandleFunc("GET /maintenance/plan", p.show(p.plan))
	mux.HandleFunc("GET /maintenance/runs/{run}", p.show(p.run))
	mux.HandleFunc("POST /maintenance/apply", p.take(p.apply))
	mux.HandleFunc("/", p.show(p.noPage))
	static, _ := fs.Sub(files, "static") // it is embedded
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(static)))
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return g.protect(mux)
}
