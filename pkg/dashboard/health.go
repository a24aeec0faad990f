package dashboard

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Finding is what one check of memory doctor has found.
type Finding struct {
	Check    string `json:"check"`
	Severity string `json:"severity"` // error, warning or ok
	Message  string `json:"message"`
	Remedy   string `json:"remedy"`
}

// findingsAge is how old findings may be that a page shows: the checks run programs of
// the plugin, which takes a second.
const findingsAge = time.Minute

// health remembers what memory doctor has found. Its methods are safe for concurrent use.
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

// state is the data of how agent, engine, store and plugin are.
type state struct {
	agentapi.StatusResult
	Findings findings
	Wrong    []Finding
}

// state shows how agent, engine and store are, and what memory doctor finds. That takes
// a second or more, so it is a page of its own that the first page loads later.
func (p *pages) state(ctx context.Context, v visit) (page, error) {
	status, err := ask(ctx, p.agent, agentapi.MethodStatus, agentapi.None{})
	data := state{StatusResult: status}
	if p.health != nil {
		chosen := memory.Project{Key: v.project}
		if at := slices.IndexFunc(v.projects, func(one memory.Project) bool { return one.Key == v.project }); at >= 0 {
			chosen = v.projects[at]
		}
		data.Findings = p.health.of(ctx, chosen)
		for _, f := range data.Findings.All {
			if f.Severity != "ok" {
				data.Wrong = append(data.Wrong, f)
			}
		}
	}
	return page{"state", "The agent", data}, err
}
