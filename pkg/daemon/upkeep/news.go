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

// news records which jobs have run since the last change of the store, other than by maintenance. The zero value is ready to
// use; its methods are safe for concurrent use.
type news struct {
	mu   sync.Mutex
	seen map[string]time.Time // when the job began, by job
}

func (n *news) arrived() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.seen)
}

// isSeen reports whether a job has run since the last change, and within mostRest.
func (n *news) isSeen(job string, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	at, ran := n.seen[job]
	return ran && now.Sub(at) < mostRest
}

// begins records that a job sees all changes so far.
func (n *news) begins(job string, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen == nil {
		n.seen = map[string]time.Time{}
	}
	n.seen[job] = now
}

// ended records the end of a job: one that failed is to see the changes again, and what it changed is work for the jobs
// after it.
func (n *news) ended(job string, run memory.Run, failed error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if failed != nil {
		delete(n.seen, job)
	}
	if names := schedule.JobNames(); run.Changed > 0 {
		for _, later := range names[slices.Index(names, job)+1:] {
			delete(n.seen, later)
		}
	}
}
