package config

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/jobs"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
)

// Maintenance says when the agent's jobs run, and by which rules.
type Maintenance struct {
	// Crons are the cron expressions by job; an empty one switches its job off.
	Crons map[string]string

	CloseAfter time.Duration // a session silent for that long is closed as abandoned
	Jitter     time.Duration // a scheduled job starts up to that much later
	Quiet      time.Duration // maintenance keeps off that long after the agent's start or a session's end
	Patience   time.Duration // maintenance that is due waits that long for a burst of events to be over
	Lease      time.Duration // a job that stalls for that long may be taken over by another agent

	Rules rules.Rules
}

func defaultMaintenance() Maintenance {
	crons := map[string]string{}
	for _, job := range jobs.All() {
		crons[job.Name] = job.Cron
	}
	return Maintenance{
		Crons: crons, CloseAfter: 24 * time.Hour, Jitter: 2 * time.Minute, Quiet: time.Minute, Patience: 15 * time.Minute, Lease: time.Minute,
		Rules: rules.Default(),
	}
}

const (
	year       = 365 * 24 * time.Hour
	mostDays   = 3650.0
	mostTokens = 1_000_000_000_000
)
