// Package engine installs, starts, supervises and stops the embedded SurrealDB, or refers to a remote server that
// somebody else runs.
//
// It does not talk to the database (package surreal does) or choose where data is stored (package paths does). It
// leaves no process behind: a local engine ends with the process that started it, however that ends. The engine runs
// under the user's Node.js or under a pinned one.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// Endpoint is the address of a SurrealDB server, with credentials.
type Endpoint struct {
	// URL has the scheme ws, wss, http or https, with or without a final /rpc. SurrealDB serves its WebSocket on the
	// port of HTTP, so http means ws and https means wss.
	URL string
	// User and Pass sign in as a root user or, if the server refuses, as a user of the namespace or the database.
	User, Pass string
	// CAFile is a PEM file of the certificate authorities for the server's certificate. Empty means the system's authorities.
	CAFile string
}

type Kind string

const (
	Remote   Kind = "remote"   // a server that somebody else runs
	Embedded Kind = "embedded" // plugin/engine/server.mjs under Node.js
)

var (
	// ErrNoEngine means that this machine has no Node.js for the embedded engine, and that no Node.js is pinned for it.
	ErrNoEngine = errors.New("no SurrealDB engine: install Node.js 20 or newer (https://nodejs.org), or name a server (memory config set store.url URL)")
	// ErrNotInstalled means that the embedded engine can be installed; see Install.
	ErrNotInstalled = errors.New("the embedded SurrealDB engine is not installed yet")
	// ErrFormat means that the data belongs to an engine with another format.
	ErrFormat = errors.New("the store has the format of another engine")
	// ErrGone means that the directory of existing data is missing or empty: a new store would be mistaken for it.
	ErrGone = memory.Mark(errors.New("the store is missing"), memory.ErrDamaged)
)

// Options selects the engine and the places of its files. A local engine needs DataPath (unless InMemory), RunDir,
// Sources and Packages; everything else has a default.
type Options struct {
	Remote Endpoint // the server of store.url and related settings; without a URL a local engine is used

	// DataPath is the directory of the data. The file beside it (.engine.json) records the engine of the data.
	DataPath string
	InMemory bool   // nothing is stored on disk; for tests
	RunDir   string // created with mode 0700; its engine.json (0600) has the password, the URL and the process ID

	// Sources is the plugin's directory with the embedded engine's own files. Packages is the directory for copies of these files
	// and for the packages that they need. Packages lies outside of the plugin, because all versions of the plugin share it.
	Sources, Packages string

	// Ask sends a local engine a query as in normal work, and fails if no answer comes before ctx ends. A hanging
	// engine may still claim to be healthy. If Ask is nil, hanging engines are not replaced.
	Ask func(ctx context.Context) error

	// Verify, if not nil, checks a running local engine before Endpoint returns its address. After an error the engine is restarted.
	Verify func(context.Context, Endpoint) error

	// Sleep is the time without requests after which a local engine is stopped until the next call of Endpoint; 0 means
	// never. Use measures that time; without it the engine is never stopped.
	Sleep time.Duration
	Use   Use

	LookPath func(string) (string, error) // default: private.LookPath
	Log      *slog.Logger                 // default: nothing is logged
	Output   io.Writer                    // stderr of a local engine, and the progress of an installation; default: dropped
}

// Use is the connection to an engine, which measures its use.
type Use interface {
	// IdleTime returns the time since the last request.
	IdleTime() time.Duration
	// DisconnectIfIdle disconnects and returns true, unless there was a request within the given time.
	DisconnectIfIdle(unused time.Duration) bool
}

func (o Options) withDefaults() Options {
	if o.LookPath == nil {
		o.LookPath = private.LookPath
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Output == nil {
		o.Output = io.Discard
	}
	if o.Verify == nil {
		o.Verify = func(context.Context, Endpoint) error { return nil }
	}
	return o
}

// Choice is the engine that Find has chosen.
type Choice struct {
	Kind    Kind
	Path    string // directory of the embedded engine's packages, or the URL of a remote server
	Version string // version of SurrealDB; empty for a remote server
	Node    string // version of Node.js; empty for a remote server

	node string // path of the node program; empty for a remote server
}

// String returns a text for people, such as embedded (SurrealDB 3.0.2, Node 20.20.2).
func (c Choice) String() string {
	switch {
	case c.Version == "":
		return string(c.Kind)
	case c.Node == "":
		return fmt.Sprintf("%s (SurrealDB %s)", c.Kind, c.Version)
	}
	return fmt.Sprintf("%s (SurrealDB %s, Node %s)", c.Kind, c.Version, c.Node)
}

// OfHome returns the options of the engine that the settings of a home select.
func OfHome(layout paths.Layout, store config.Store) (Options, error) {
	executable, err := os.Executable()
	if err != nil {
		return Options{}, fmt.Errorf("find the plugin's directory: %w", err)
	}
	return Options{
		Remote:   Endpoint{URL: store.URL, User: store.User, Pass: store.Pass, CAFile: store.CAFile},
		DataPath: layout.Data(), RunDir: layout.Run(),
		Sources: filepath.Join(paths.PluginRoot(executable), "engine"), Packages: cmp.Or(store.EnginePath, layout.Engine()),
	}, nil
}
