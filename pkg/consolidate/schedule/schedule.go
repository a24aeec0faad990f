// Package schedule lists the maintenance jobs and when they are due. It does not contain the jobs, so that hooks,
// which read the settings, do not link them.
package schedule

// The names of the jobs.
const (
	Recount = "recount"
	Close   = "close"
	Dedup   = "dedup"
	Promote = "promote"
	Prune   = "prune"
)

// Job is a maintenance job.
type Job struct {
	Name    string
	Summary string // text that follows the name
	Cron    string // default schedule, in the local time zone; daily jobs run at an hour in which clocks are not changed
}

// Jobs returns every job, sorted so that each prepares the work of the next.
func Jobs() []Job {
	return []Job{
		{Recount, "count tokens again after a change of the encoding", "17 * * * *"},
		{Close, "close abandoned sessions", "7 * * * *"},
		{Dedup, "merge duplicates and apply corrections", "27 * * * *"},
		{Promote, "widen the scope of memories that are used elsewhere", "32 * * * *"},
		{Prune, "archive memories that are weak or exceed their budget", "37 4 * * *"},
	}
}

// JobNames returns the names of all jobs, in their order.
func JobNames() []string {
	all := Jobs()
	names := make([]string, 0, len(all))
	for _, job := range all {
		names = append(names, job.Name)
	}
	return names
}
