package daemonapi

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The methods about the daemon itself.
var (
	// MethodStatus returns the daemon's state. It is answered in every state.
	MethodStatus = Method[None, StatusResult]{"status"}
	// MethodStop notifies the daemon to end. The daemon has ended when its lock is free.
	MethodStop = Method[None, None]{"stop"}
	// MethodDashboard makes the daemon serve the dashboard, and returns its address with a key that signs in one
	// browser. It is answered in every state of the store.
	MethodDashboard = Method[DashboardParams, DashboardResult]{"dashboard"}
)

// StatusResult describes the daemon's state.
type StatusResult struct {
	Version string        `json:"version"`
	PID     int           `json:"pid"`
	State   string        `json:"state"` // starting, installing, ready, waiting
	Reason  string        `json:"reason,omitempty"`
	Trouble *Trouble      `json:"trouble,omitempty"` // reason for the user, with its remedy
	Notice  string        `json:"notice,omitempty"`  // how the store lately repaired itself
	Engine  EngineStatus  `json:"engine"`
	Spool   SpoolStatus   `json:"spool"`
	Store   *memory.Stats `json:"store,omitempty"` // nil while the store cannot be reached
	// Distill describes distillation by a model; nil while it is off.
	Distill *DistillStatus `json:"distill,omitempty"`
}

// EngineStatus describes the SurrealDB in use.
type EngineStatus struct {
	Kind     string `json:"kind"`              // remote, binary or embedded; empty if there is none
	Name     string `json:"name,omitempty"`    // name for people, such as "embedded (SurrealDB 3.0.2, Node 20.20.2)"
	Version  string `json:"version,omitempty"` // version of SurrealDB; empty for a remote one
	PID      int    `json:"pid,omitempty"`
	Restarts int    `json:"restarts"`
	// UnresponsiveSince is when the engine stopped answering; zero while it answers. A local engine that stays silent is
	// restarted.
	UnresponsiveSince time.Time `json:"silent,omitzero"`
	// Asleep is set if the engine was stopped because there was nothing to do. The next request starts it.
	Asleep bool `json:"asleep,omitempty"`
	// Ended is the reason why the engine last ended or could not start; empty for none.
	Ended string `json:"ended,omitempty"`
}

// SpoolStatus counts the events that wait (New), are being ingested (Claimed), and cannot be ingested (Dead).
type SpoolStatus struct {
	New     int `json:"new"`
	Claimed int `json:"claimed"`
	Dead    int `json:"dead"`
}

// DashboardParams choose how the browser gets the key.
type DashboardParams struct {
	// File asks for a page that sends the key, for a browser of this user. Without it a person types the key.
	File bool `json:"file,omitempty"`
}

// DashboardResult holds the dashboard's address and the key that signs in one browser. Whoever uses the key first may
// read and change all memories.
type DashboardResult struct {
	// URL is on 127.0.0.1 and contains no secret.
	URL string `json:"url"`
	// Key is the key to type at URL; empty if File contains it.
	Key string `json:"key,omitempty"`
	// File is the path of a page that sends the key when a browser opens it. Only this user can read it, and it is
	// removed after its use.
	File string `json:"file,omitempty"`
}
