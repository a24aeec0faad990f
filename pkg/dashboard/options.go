package dashboard

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Options are the dependencies and settings of the dashboard.
type Options struct {
	Agent Agent
	Log   *slog.Logger
	Now   func() time.Time
	// StartBudget is the tokens that a starting session is given at the most.
	StartBudget int
	Budgets     Budgets
	// Folder is where the files lie that let a browser in; it must be this user's alone.
	Folder string
	// Settings returns all settings as they are in force, in the order of the documents; nil: the page has none.
	Settings func() []Setting
	// SwitchModel writes whether a model may be asked; nil: the pages offer no switch.
	SwitchModel func(on bool) error
	// UserOf tells whose processes connect; nil: the system's way.
	UserOf UserOf
	// Examine runs memory doctor for a project; nil: the pages show no findings.
	Examine func(context.Context, memory.Project) ([]Finding, error)
}

// Agent answers the calls that the CLI and the MCP server make, too: the pages have no
// other way to the memories.
type Agent interface {
	Ask(ctx context.Context, call agentapi.Call) error
}

// Setting is one setting as it is in force. The value of a password is left out.
type Setting struct {
	Key, Text, Value, Default string
	Origin                    string // the environment variable or the file that the value is from; empty: the default
	Secret                    bool
}

// Budgets are the tokens that active memories may have in a scope, by maintenance's
// settings.
type Budgets struct{ Project, User int }

// Finding is the result of one check of memory doctor.
type Finding struct {
	Check    string `json:"check"`
	Severity string `json:"severity"` // error, warning or ok
	Message  string `json:"message"`
	Remedy   string `json:"remedy"`
}

// findingsAge is how old findings may be that a page shows: the checks run programs of
// the plugin, which takes a second.
const findingsAge = time.Minute

// health remembers the findings of memory doctor. Its methods are safe for concurrent
// use.
type health struct {
	examine func(context.Context, memory.Project) ([]Finding, error)
	now     func() time.Time

	mu   sync.Mutex // held while it looks
	held map[string]findings
}

// findings are those of one project.
type findings struct {
	All []Finding // the worst first
	At  time.Time
	Err string // why there are none
}

func (h *health) of(ctx context.Context, p memory.Project) findings {
	h.mu.Lock()
	defer h.mu.Unlock()
	if held, has := h.held[p.Key]; has && h.now().Sub(held.At) < findingsAge {
		return held
	}
	found := findings{At: h.now()}
	all, err := h.examine(ctx, p)
	if found.All = all; err != nil {
		found.Err = err.Error()
	}
	if ctx.Err() == nil { // else the visitor has gone on
		h.held[p.Key] = found
	}
	return found
}
