package dashboard

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// projectsAge is how old the list of projects may be that a page shows. An older one is
// still shown, and read again in the background.
const projectsAge = 30 * time.Second

// projects is the list that every page chooses from. Its methods are safe for concurrent
// use.
type projects struct {
	agent Agent
	log   *slog.Logger
	now   func() time.Time
	ended context.Context // when no page is served any more

	mu      sync.Mutex
	all     []memory.Project
	readAt  time.Time // zero: not yet
	reading bool
	running sync.WaitGroup
}

// list returns the projects that are no part of another, the one seen last first.
func (p *projects) list(ctx context.Context) ([]memory.Project, error) {
	p.mu.Lock()
	all, isRead := p.all, !p.readAt.IsZero()
	if isRead && !p.reading && p.now().Sub(p.readAt) > projectsAge && p.ended.Err() == nil {
		p.reading = true
		p.running.Go(p.refresh)
	}
	p.mu.Unlock()
	if isRead && len(all) > 0 {
		return all, nil
	}
	return p.read(ctx)
}

func (p *projects) refresh() {
	if _, err := p.read(p.ended); err != nil {
		p.log.Debug("the dashboard's list of projects could not be read again", "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reading = false
}

func (p *projects) read(ctx context.Context) ([]memory.Project, error) {
	all, err := ask(ctx, p.agent, agentapi.MethodProjectNames, agentapi.None{})
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all, p.readAt = all, p.now()
	return all, nil
}
