package intake

import "sync"

// busy is which projects' events are just being stored.
type busy struct {
	mu       sync.Mutex
	all      bool // events are being claimed: they may be anybody's
	projects map[string]bool
}

func (b *busy) with(project string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all || b.projects[project]
}

func (b *busy) set(all bool, projects map[string]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all, b.projects = all, projects
}
