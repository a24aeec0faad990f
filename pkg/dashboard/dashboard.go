// Package dashboard serves the local web pages on which people read and correct the memories. Templates and styles
// are embedded; no served page has a script or loads anything from another host. The package decides who may open the
// pages. It asks the daemon for all data and does not know the store.
package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Dashboard serves the pages once somebody has asked for their address. Its methods are safe for concurrent use.
type Dashboard struct {
	options Options

	mu     sync.Mutex
	guard  *guard
	server *http.Server
	served chan struct{}
}

// New returns a dashboard that starts to listen at the first Open.
func New(o Options) *Dashboard { return &Dashboard{options: o} }

// Open returns the address, and a key that lets one browser in: a person types it, or a file sends it, if a file is
// wanted. The first call starts to listen on a free port of 127.0.0.1.
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

// requestTime is the maximum time for a request to arrive with its body.
const requestTime = 5 * time.Second

// listen starts to answer requests on a free port of 127.0.0.1, until Close. The caller holds the mutex.
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
			d.options.Log.Error("the dashboard has stopped listening", "error", err)
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
	d.guard.close()
	err := d.server.Close()
	<-d.served
	return err
}

func handler(o Options, g *guard) http.Handler {
	p := &pages{Options: o, base: g.base, views: parseViews()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.show(p.memories))
	mux.HandleFunc("POST /keep", p.take(p.switchKeep))
	mux.HandleFunc("GET /memories/{id}", p.show(p.detail))
	mux.HandleFunc("POST /memories/{id}", p.take(p.change))
	mux.HandleFunc("GET /sessions", p.show(p.sessions))
	mux.HandleFunc("GET /sessions/{session}", p.show(p.session))
	mux.HandleFunc("GET /why", p.show(p.why))
	mux.HandleFunc("GET /model", p.show(p.model))
	mux.HandleFunc("POST /model", p.take(p.switchModel))
	mux.HandleFunc("GET /maintenance", p.show(p.maintenance))
	mux.HandleFunc("GET /maintenance/runs/{run}", p.show(p.run))
	mux.HandleFunc("POST /undo", p.take(p.undo))
	mux.HandleFunc("/", p.show(func(v *visit) page { v.err = errNoPage; return page{} }))
	return g.protect(mux)
}
