package upkeep

import (
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostRest is the longest time for which a job without changes is not run. Some of its work comes with time alone.
const mostRest = 23 * time.Hour

// news counts the changes of the store, other than by maintenance, and records up to which change each job has run.
// The zero value is ready to use; its methods are safe for concurrent use.
type news struct {
	mu       sync.Mutex
	commits  int
	progress map[string]progress // by job
}

// progress is how far a job has got.
type progress struct {
	commits int       // number of commits that it has seen
	at      time.Time // when it ran
}

// arrived counts one change of the store.
func (n *news) arrived() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.commits++
}

// until returns the number of changes so far.
func (n *news) until() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.commits
}

// isSeen reports whether a job has run since the last change, and within mostRest.
func (n *news) isSeen(job string, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	p, ran := n.progress[job]
	return ran && p.commits == n.commits && now.Sub(p.at) < mostRest
}

// ran records that a job has seen this many commits. What it changed is work for the jobs after it.
func (n *news) ran(run memory.Run, commits int, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.progress == nil {
		n.progress = map[string]progress{}
	}
	n.progress[run.Job] = progress{commits, now}
	if names := schedule.JobNames(); run.Changed > 0 {
		for _, later := range names[slices.Index(names, run.Job)+1:] {
			delete(n.progress, later)
		}
	}
}
