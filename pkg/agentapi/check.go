package agentapi

import "time"

// CheckResult is the output of memoryd --check: the engine and the settings with which an
// agent would start now. Nothing is started.
type CheckResult struct {
	Engine CheckedEngine `json:"engine"`
	Crons  []BadCron     `json:"crons"`
}

// CheckedEngine is the engine that would be used.
type CheckedEngine struct {
	Kind     string `json:"kind,omitempty"`     // remote, binary or embedded; empty if there is none
	Path     string `json:"path,omitempty"`     // or the URL of a remote one
	Name     string `json:"name,omitempty"`     // for people: embedded (SurrealDB 3.0.2, Node 20.20.2)
	Version  string `json:"version,omitempty"`  // of SurrealDB; empty for a remote one
	Packages string `json:"packages,omitempty"` // where the embedded engine is installed, or would be
	// InstallingSince is when the installation began that is under way; zero if none is.
	InstallingSince time.Time `json:"installing_since,omitzero"`
	PassedOver      []string  `json:"passed_over,omitempty"`
	Problem         string    `json:"problem,omitempty"`
	// Installable says that the problem is only that it has yet to be installed.
	Installable bool `json:"installable,omitempty"`
}

// BadCron is a setting that is no cron expression: its job never runs.
type BadCron struct {
	Key     string `json:"key"`
	Default string `json:"default"`
	Problem string `json:"problem"`
}
