package daemonapi

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The methods about the daemon itself.
var (
	// MethodStatus returns the daemon's state; it is answered in every state.
	MethodStatus = Method[None, StatusResult]{"status"}
	// MethodStop ends the daemon. It is a notification: the daemon has ended when its lock is
	// free.
	MethodStop = Method[None, None]{"stop"}
	// MethodDashboard starts to listen, and returns the dashboard's address and a key
	// that lets one browser in. It is answered in every state of the store.
	MethodDashboard = Method[DashboardParams, DashboardResult]{"dashboard"}
)

// StatusResult describes the daemon's state.
type StatusResult struct {
	Version string        `json:"version"`
	PID     int           `json:"pid"`
	State   string        `json:"state"` // starting, installing, ready, waiting
	Reason  string        `json:"reason,omitempty"`
	Trouble *Trouble      `json:"trouble,omitempty"` // the reason in words for the user, with its remedy
	Notice  string        `json:"notice,omitempty"`  // how the store was repaired lately without asking
	Engine  EngineStatus  `json:"engine"`
	Spool   SpoolStatus   `json:"spool"`
	Store   *memory.Stats `json:"store,omitempty"` // absent while the store cannot be reached
	// CountedAt is when Store was counted, if a new count took longer than a second.
	CountedAt time.Time `json:"counted_at,omitzero"`
	// Distill is the state of distillation by a model; absent while it is switched off.
	Distill *DistillStatus `json:"distill,omitempty"`
}

// EngineStatus describes the SurrealDB that serves the store.
type EngineStatus struct {
	Kind     string `json:"kind"`              // remote, binary, embedded; empty when there is none
	Name     string `json:"name,omitempty"`    // for people: embedded (SurrealDB 3.0.2, Node 20.20.2)
	Version  string `json:"version,omitempty"` // of SurrealDB; empty for a remote one
	PID      int    `json:"pid,omitempty"`
	Restarts int    `json:"restarts"`
	// Silent is when the engine stopped answering; a local one that stays silent is replaced. Absent while it answers.
	Silent time.Time `json:"silent,omitzero"`
	// Asleep is set if the engine ended because it had nothing to do; the next request starts it.
	Asleep bool `json:"asleep,omitempty"`
	// Ended is the reason why it last ended or could not start; empty if that never happened.
	Ended string `json:"ended,omitempty"`
}

// SpoolStatus counts the events that wait, are being ingested, or could not be ingested.
type SpoolStatus struct {
	New     int `json:"new"`
	Claimed int `json:"claimed"`
	Dead    int `json:"dead"`
}

// DashboardParams choose how the browser gets the key.
type DashboardParams struct {
	// File asks for a file that sends the key, for a browser of this user. Without it a
	// person types the key.
	File bool `json:"file,omitempty"`
}

// DashboardResult holds the address of the dashboard and the key that lets one browser in: whoever
// uses it first may see and change all memories.
type DashboardResult struct {
	// URL is on 127.0.0.1; it holds no secret.
	URL string `json:"url"`
	// Key is the key that the page there asks for; empty if File contains it.
	Key string `json:"key,omitempty"`
	// File is the path of a page that sends the key from the browser that opens it. Only this
	// user can read it, and it is removed when the key was used.
	File string `json:"file,omitempty"`
}

// CheckedEngine is the output of memoryd --check: the engine with which a daemon would start now. The
// check starts nothing.
type CheckedEngine struct {
	Path     string `json:"path,omitempty"`     // the URL for a remote engine
	Name     string `json:"name,omitempty"`     // for people: embedded (SurrealDB 3.0.2, Node 20.20.2)
	Packages string `json:"packages,omitempty"` // where the embedded engine is installed, or would be
	Download string `json:"download,omitempty"` // how much that takes to download, such as 10 MB
	// InstallingSince is when the installation under way began; zero if none is.
	InstallingSince time.Time `json:"installing_since,omitzero"`
	Problem         string    `json:"problem,omitempty"`
	// Installable is set if the only problem is that the engine is not installed yet.
	Installable bool `json:"installable,omitempty"`
}
