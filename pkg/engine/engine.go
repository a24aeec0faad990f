// Package engine owns the local SurrealDB: it finds one, installs the embedded one, starts it, keeps it running and stops
// it, or points at a remote server that somebody else runs.
//
// It does not talk to the database (package surreal does) or choose where data lives (package paths does). It leaves
// no process behind: a local engine ends with the process that started it, however that one ends.
//
// The order of choice is: the remote server of Options, the engine that the data belongs to, a surreal binary of version 3, the
// embedded engine, a surreal binary of version 4, the official build that the engine's own files name.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

// Made says which engine a data directory belongs to. SurrealDB writes rows in a format that no older engine reads, and
// changes it on the first write: no other engine may open the directory, unless it writes the same format.
type Made struct {
	Kind    Kind   `json:"kind"`
	Version string `json:"version"`           // of SurrealDB
	Storage string `json:"storage"`           // RocksDB or SurrealKV
	Program string `json:"program,omitempty"` // path of the binary
}

// Endpoint says where a SurrealDB server is and how to sign in to it.
type Endpoint struct {
	URL   string // scheme, host and port, such as ws://127.0.0.1:40123
	User  string
	Pass  string
	Token string // instead of User and Pass, for a remote server

	CAFile, CertFile, KeyFile string // of a remote server's TLS, see wire.Endpoint
}

// Kind says which sort of engine was chosen.
type Kind string

// The kinds of engine, in the order in which they are preferred.
const (
	Remote   Kind = "remote"   // a server that is not ours
	Binary   Kind = "binary"   // a surreal binary
	Embedded Kind = "embedded" // plugin/engine/server.mjs under Node.js
)

var (
	// ErrNoEngine says that this machine has no program that runs SurrealDB. Its message names those
	// that can be installed.
	ErrNoEngine = errors.New("no SurrealDB engine: install Node.js 20 or newer (https://nodejs.org) or the surreal 3.x binary, or set SURREAL_URL")
	// ErrNotInstalled says that Node.js is there and the embedded engine's packages are not: call Install.
	ErrNotInstalled = errors.New("the embedded SurrealDB engine is not installed yet")
	// ErrInUse says that another living process supervises an engine with the same RunDir.
	ErrInUse = errors.New("another process already runs this engine")
	// ErrStopped is returned by Supervisor.Endpoint after Stop.
	ErrStopped = errors.New("the engine was stopped")
	// ErrDamaged says that the engine cannot open its data because files are missing or have changed.
	ErrDamaged = errors.New("the store's files are damaged")
	// ErrHung says that the engine ran without answering, and was ended.
	ErrHung = errors.New("the engine did not answer")
	// ErrGone is ErrDamaged, too: there was data, and its directory is missing or empty. A new store in its place would
	// be taken for the old one.
	ErrGone = fmt.Errorf("%w: they are gone", ErrDamaged)
)

// Options name the engine to use and the places of its files. DataPath (unless InMemory), RunDir,
// Sources and Packages are needed for a local engine; everything else has a default.
type Options struct {
	Remote Endpoint // a server that is not ours, from SURREAL_URL and its companions; without a URL a local engine

	// DataPath is the directory of the data. Beside it lie its password (.secret) and which engine it belongs to
	// (.engine.json).
	DataPath string
	// For is the engine that new data should belong to, if it is available; empty: the
	// first in the order of choice.
	For      *Made
	InMemory bool   // keep nothing on disk; for tests
	RunDir   string // made 0700; engine.json (0600) in it holds the password, the URL and the process id

	// Sources is the plugin's directory with the embedded engine's own files. Packages is where they and the packages
	// they need are installed: not in the plugin, whose versions share it.
	Sources, Packages string

	// Ask has a local engine that is up answer a question, the way it is asked for work; an error says that it did not
	// answer before ctx ended. An engine that hangs may go on to tell that it is healthy. nil: it is not asked, and not
	// replaced when it hangs.
	Ask func(ctx context.Context) error

	// Verify looks at a local engine that is up, before Endpoint tells anybody of it; its error, such as ErrDamaged, ends
	// the engine, which is started again. nil: nobody looks.
	Verify func(context.Context, Endpoint) error

	// Sleep is after how long without work a local engine is ended, until Endpoint is asked for the next time; 0: never.
	// Use says how long that is; nil: it is not known, and the engine runs on.
	Sleep time.Duration
	Use   Use

	LookPath func(string) (string, error) // default private.LookPath
	HomeDir  string                       // default os.UserHomeDir; ~/.surrealdb/surreal is looked for in it
	Log      *slog.Logger                 // default: nothing is logged
	Output   io.Writer                    // stderr of a local engine; default: dropped
}

// Use is the connection to an engine.
type Use interface {
	// Unused is for how long nothing was asked.
	Unused() time.Duration
	// Rest hangs up, unless something was asked within that time.
	Rest(unused time.Duration) bool
}

func (o Options) withDefaults() Options {
	if o.LookPath == nil {
		o.LookPath = private.LookPath
	}
	if o.HomeDir == "" {
		o.HomeDir, _ = os.UserHomeDir()
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

// Choice is the engine that Find chose.
type Choice struct {
	Kind       Kind
	Path       string   // of the binary, of the embedded engine's packages, or the URL of a remote server
	Version    string   // of SurrealDB; empty for a remote server
	Node       string   // version of Node.js, for the embedded engine
	Storage    string   // RocksDB or SurrealKV; empty for a remote server
	PassedOver []string // engines found and not used, each with the reason

	node string // path of the node program, for Embedded
}

// String names the engine for people, such as embedded (SurrealDB 3.0.2, Node 20.20.2).
func (c Choice) String() string {
	switch {
	case c.Version == "":
		return string(c.Kind)
	case c.Node == "":
		return fmt.Sprintf("%s (SurrealDB %s)", c.Kind, c.Version)
	}
	return fmt.Sprintf("%s (SurrealDB %s, Node %s)", c.Kind, c.Version, c.Node)
}

// Made is the note about data that is created with this engine.
func (c Choice) Made() Made {
	made := Made{Kind: c.Kind, Version: c.Version, Storage: c.Storage}
	if c.Kind == Binary {
		made.Program = c.Path
	}
	return made
}
