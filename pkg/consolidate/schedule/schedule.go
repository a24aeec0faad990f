// Package schedule lists the maintenance jobs and when they are due. The command line links it, and not the jobs.
package schedule

// The names of the jobs.
const (
	Close   = "close"
	Dedup   = "dedup"
	Promote = "promote"
	Prune   = "prune"
)

// Daily is the cron expression of all jobs, in the local time zone, at an hour at which clocks are not changed for summer time.
const Daily = "37 4 * * *"

// Job is a maintenance job.
type Job struct {
	Name    string
	Summary string // text that follows the name
}

// Jobs returns every job, sorted so that each prepares the work of the next.
func Jobs() []Job {
	return []Job{
		{Close, "close abandoned sessions"},
		{Dedup, "merge duplicates"},
		{Promote, "widen the scope of memories that are used elsewhere"},
		{Prune, "archive memories that are weak or exceed their budget"},
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
