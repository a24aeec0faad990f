// Package schedule lists the maintenance jobs and the times when they are due. It has no code of
// the jobs, so that hooks, which read the settings, do not link that.
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
	Summary string // what it does, to be read after its name
	Cron    string // when it is due by default, in the local time zone; a daily job runs at an hour in which no clock is changed
}

// Jobs returns every job, in the order in which one prepares the work of the next.
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
