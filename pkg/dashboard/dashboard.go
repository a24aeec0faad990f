// Package dashboard serves the local web pages on which people look at the memories and
// correct them: templates and styles are embedded, no page has a script, and nothing is
// loaded from another host. It owns who may open them. It asks the daemon for everything
// and knows no store.
package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// OfHome returns the dashboard of a home. The daemon serves it when it is asked to.
func OfHome(daemon Daemon, layout paths.Layout, log *slog.Logger) *Dashboard {
	return New(Options{
		Daemon: daemon, Log: log, Now: time.Now, Folder: layout.Run(),
		SwitchModel: func(on bool) error {
			return config.Set(layout.ConfigFile(), config.DistillEnabled, strconv.FormatBool(on))
		},
	})
}

// Dashboard serves the pages once somebody has asked for their address. Its methods are
// safe for concurrent use.
type Dashboard struct {
	options Options

	mu     sync.Mutex
	guard  *guard
	server *http.Server
	served chan struct{}
}

// New makes a dashboard that does not listen yet.
func New(o Options) *Dashboard { return &Dashboard{options: o} }

// Open listens from the first time on, on a free port of 127.0.0.1, and returns a key
// that lets one browser in: to be typed at the address, or in a file that sends it from
// the browser, if one is wanted.
func (d *Dashboard) Open(_ context.Context, wanted daemonapi.DashboardParams) (daemonapi.DashboardResult, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server == nil {
		if err := d.listen(); err != nil {
			return daemonapi.DashboardResult{}, err
		}
	}
	result := daemonapi.DashboardResult{URL: "http://" + d.guard.host + "/"}
	key, file, err := d.guard.invite(wanted.File)
	if result.File = file; file == "" {
		result.Key = key
	}
	return result, err
}

// requestTime bounds how long a stranger's request may take to come, with its body.
const requestTime = 5 * time.Second

// listen starts to answer on a free port of 127.0.0.1, until Close. The caller holds the mutex.
func (d *Dashboard) listen() error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the dashboard: %w", err)
	}
	d.guard = newGuard(listener.Addr().String(), d.options.Folder, d.options.Now)
	d.server = &http.Server{
		Handler:     handler(d.options, d.guard),
		ReadTimeout: requestTime, IdleTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(d.options.Log.Handler(), slog.LevelDebug),
	}
	d.served = make(chan struct{})
	go func() {
		defer close(d.served)
		if err := d.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			d.options.Log.Error("the dashboard does not listen any more", "error", err)
		}
	}()
	d.options.Log.Info("the dashboard listens", "address", d.guard.host)
	return nil
}

// Close ends all requests and stops listening.
func (d *Dashboard) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server == nil {
		return nil
	}
	d.guard.forgetAll()
	err := d.server.Close()
	<-d.served
	return err
}

// handler answers all requests.
func handler(o Options, g *guard) http.Handler {
	p := &pages{Options: o, base: g.base, views: parseViews()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.show(p.memories))
	mux.HandleFunc("GET /memories/{id}", p.show(p.detail))
	mux.HandleFunc("POST /memories/{id}", p.take(p.change))
	mux.HandleFunc("GET /sessions", p.show(p.sessions))
	mux.HandleFunc("GET /sessions/{session}", p.show(p.session))
	mux.HandleFunc("GET /why", p.show(p.why))
	mux.HandleFunc("GET /model", p.show(p.model))
	mux.HandleFunc("POST /model", p.take(p.switchModel))
	mux.HandleFunc("GET /maintenance", p.show(p.maintenance))
	mux.HandleFunc("GET /maintenance/runs/{run}", p.show(p.run))
	mux.HandleFunc("POST /maintenance/run", p.take(p.consolidate))
	mux.HandleFunc("POST /undo", p.take(p.undo))
	mux.HandleFunc("/", p.show(p.noPage))
	return g.protect(mux)
}
