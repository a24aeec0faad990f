package start

import (
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// A todo, or a fact that states how things stand for a while, has its place in starts until
// passingSessions later sessions have left facts, or the project's newest fact is passingTime
// younger: nobody records that tests pass again (docs/lab/facts.md).
const (
	passingSessions = 10
	passingTime     = 14 * 24 * time.Hour
)

// withoutPassed leaves out the facts that were true for a while, and were not seen again
// since. Those that are pinned stay. newest are the newest facts of the sessions.
func withoutPassed(facts, newest []memory.Memory) []memory.Memory {
	return slices.DeleteFunc(slices.Clone(facts), func(m memory.Memory) bool {
		later, _ := slices.BinarySearchFunc(newest, m.LastSeenAt, func(other memory.Memory, seen time.Time) int {
			return seen.Compare(other.LastSeenAt)
		})
		isOld := later >= passingSessions || newest[0].LastSeenAt.Sub(m.LastSeenAt) >= passingTime
		return isOld && !m.Pinned && knowledge.IsPassing(m)
	})
}
