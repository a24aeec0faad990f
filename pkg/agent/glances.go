package agent

import (
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// mostSessions is how many sessions' sums are kept, mostLast the bytes of the last line of each.
	mostSessions = 256
	mostLast     = 600
)

// Glances sums up what was injected into each session, in memory only, for the status line. Its
// methods are safe for concurrent use.
type Glances struct {
	mu   sync.Mutex
	told *lru.Cache[string, agentapi.Glance]
}

// newGlances makes empty sums.
func newGlances() *Glances {
	told, err := lru.New[string, agentapi.Glance](mostSessions)
	if err != nil { // only for a size below one
		panic(err)
	}
	return &Glances{told: told}
}

// Of returns the sum of the memories that were injected into a session.
func (g *Glances) Of(session string) agentapi.Glance {
	g.mu.Lock()
	defer g.mu.Unlock()
	glance, _ := g.told.Get(session)
	return glance
}

// injected adds an injection of memories into a session.
func (g *Glances) injected(session string, answer agentapi.ContextResult) {
	if session == "" || answer.Items == 0 {
		return
	}
	_, first, isLine := strings.Cut("\n"+answer.Text, "\n- ")
	if !isLine {
		return
	}
	first, _, _ = strings.Cut(first, "\n")
	g.mu.Lock()
	defer g.mu.Unlock()
	glance, _ := g.told.Get(session)
	glance.Memories += answer.Items
	glance.Tokens += answer.Tokens
	glance.Last = memory.CutWords(strings.TrimSpace(first), mostLast)
	g.told.Add(session, glance)
}
