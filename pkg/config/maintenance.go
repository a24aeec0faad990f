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

var maintenanceSettings = []setting{
	{"maintenance.quiet", "MEMORY_MAINTENANCE_QUIET", span{0, time.Hour, func(c *Config) *time.Duration { return &c.Maintenance.Quiet }}},
	{"maintenance.close.cron", "MEMORY_MAINTENANCE_CLOSE_CRON", cron(jobs.Close)},
	{"maintenance.recount.cron", "MEMORY_MAINTENANCE_RECOUNT_CRON", cron(jobs.Recount)},
	{"maintenance.distil.cron", "MEMORY_MAINTENANCE_DISTIL_CRON", cron(jobs.Distil)},
	{"maintenance.dedup.cron", "MEMORY_MAINTENANCE_DEDUP_CRON", cron(jobs.Dedup)},
	{"maintenance.promote.cron", "MEMORY_MAINTENANCE_PROMOTE_CRON", cron(jobs.Promote)},
	{"maintenance.stale.cron", "MEMORY_MAINTENANCE_STALE_CRON", cron(jobs.Stale)},
	{"maintenance.prune.cron", "MEMORY_MAINTENANCE_PRUNE_CRON", cron(jobs.Prune)},
	{"maintenance.prune.archive_below", "MEMORY_MAINTENANCE_PRUNE_ARCHIVE_BELOW", number{0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Pruning.ArchiveBelow }}},
	{"maintenance.prune.grace", "MEMORY_MAINTENANCE_PRUNE_GRACE", span{0, 10 * year, func(c *Config) *time.Duration { return &c.Maintenance.Rules.Pruning.Grace }}},
	{"maintenance.prune.project_budget", "MEMORY_MAINTENANCE_PRUNE_PROJECT_BUDGET", integer{1, mostTokens, func(c *Config) *int { return &c.Maintenance.Rules.Pruning.ProjectBudget }}},
	{"maintenance.prune.user_budget", "MEMORY_MAINTENANCE_PRUNE_USER_BUDGET", integer{1, mostTokens, func(c *Config) *int { return &c.Maintenance.Rules.Pruning.UserBudget }}},
	{"maintenance.half_life.working", "MEMORY_MAINTENANCE_HALF_LIFE_WORKING", number{0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.WorkingHalfLife }}},
	{"maintenance.half_life.episodic", "MEMORY_MAINTENANCE_HALF_LIFE_EPISODIC", number{0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.EpisodicHalfLife }}},
	{"maintenance.half_life.semantic", "MEMORY_MAINTENANCE_HALF_LIFE_SEMANTIC", number{0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.SemanticHalfLife }}},
	{"maintenance.half_life.procedural", "MEMORY_MAINTENANCE_HALF_LIFE_PROCEDURAL", number{0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.ProceduralHalfLife }}},
}
