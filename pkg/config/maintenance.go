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
	{"maintenance.jitter", "MEMORY_MAINTENANCE_JITTER", span{0, time.Hour, func(c *Config) *time.Duration { return &c.Maintenance.Jitter }}},
	{"maintenance.quiet", "MEMORY_MAINTENANCE_QUIET", span{0, time.Hour, func(c *Config) *time.Duration { return &c.Maintenance.Quiet }}},
	{"maintenance.patience", "MEMORY_MAINTENANCE_PATIENCE", span{0, 24 * time.Hour, func(c *Config) *time.Duration { return &c.Maintenance.Patience }}},
	{"maintenance.lease", "MEMORY_MAINTENANCE_LEASE", span{time.Second, time.Hour, func(c *Config) *time.Duration { return &c.Maintenance.Lease }}},
	{"maintenance.close.cron", "MEMORY_MAINTENANCE_CLOSE_CRON", cron(jobs.Close)},
	{"maintenance.close.after", "MEMORY_MAINTENANCE_CLOSE_AFTER", span{time.Minute, year, func(c *Config) *time.Duration { return &c.Maintenance.CloseAfter }}},
	{"maintenance.recount.cron", "MEMORY_MAINTENANCE_RECOUNT_CRON", cron(jobs.Recount)},
	{"maintenance.distil.cron", "MEMORY_MAINTENANCE_DISTIL_CRON", cron(jobs.Distil)},
	{"maintenance.distil.episodes", "MEMORY_MAINTENANCE_DISTIL_EPISODES", integer{1, 100, func(c *Config) *int { return &c.Maintenance.Rules.Distil.Episodes }}},
	{"maintenance.distil.together_share", "MEMORY_MAINTENANCE_DISTIL_TOGETHER_SHARE", number{0.51, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Distil.TogetherShare }}},
	{"maintenance.dedup.cron", "MEMORY_MAINTENANCE_DEDUP_CRON", cron(jobs.Dedup)},
	{"maintenance.dedup.similarity", "MEMORY_MAINTENANCE_DEDUP_SIMILARITY", number{0.5, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Dedup.Similarity }}},
	{"maintenance.promote.cron", "MEMORY_MAINTENANCE_PROMOTE_CRON", cron(jobs.Promote)},
	{"maintenance.promote.project_importance", "MEMORY_MAINTENANCE_PROMOTE_PROJECT_IMPORTANCE", number{0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Promotion.ProjectImportance }}},
	{"maintenance.promote.project_uses", "MEMORY_MAINTENANCE_PROMOTE_PROJECT_USES", integer{1, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Promotion.ProjectUses }}},
	{"maintenance.promote.project_sessions", "MEMORY_MAINTENANCE_PROMOTE_PROJECT_SESSIONS", integer{2, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Promotion.ProjectSessions }}},
	{"maintenance.promote.user_importance", "MEMORY_MAINTENANCE_PROMOTE_USER_IMPORTANCE", number{0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Promotion.UserImportance }}},
	{"maintenance.promote.user_uses", "MEMORY_MAINTENANCE_PROMOTE_USER_USES", integer{1, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Promotion.UserUses }}},
	{"maintenance.promote.user_projects", "MEMORY_MAINTENANCE_PROMOTE_USER_PROJECTS", integer{2, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Promotion.UserProjects }}},
	{"maintenance.promote.margin", "MEMORY_MAINTENANCE_PROMOTE_MARGIN", number{0.01, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Promotion.Margin }}},
	{"maintenance.promote.repeated_importance", "MEMORY_MAINTENANCE_PROMOTE_REPEATED_IMPORTANCE", number{0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Promotion.RepeatedImportance }}},
	{"maintenance.stale.cron", "MEMORY_MAINTENANCE_STALE_CRON", cron(jobs.Stale)},
	{"maintenance.stale.factor", "MEMORY_MAINTENANCE_STALE_FACTOR", number{0.01, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Stale.Factor }}},
	{"maintenance.prune.cron", "MEMORY_MAINTENANCE_PRUNE_CRON", cron(jobs.Prune)},
	{"maintenance.prune.archive_below", "MEMORY_MAINTENANCE_PRUNE_ARCHIVE_BELOW", number{0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Pruning.ArchiveBelow }}},
	{"maintenance.prune.barely_used", "MEMORY_MAINTENANCE_PRUNE_BARELY_USED", integer{0, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Pruning.BarelyUsed }}},
	{"maintenance.prune.forget_below", "MEMORY_MAINTENANCE_PRUNE_FORGET_BELOW", number{0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Pruning.ForgetBelow }}},
	{"maintenance.prune.grace", "MEMORY_MAINTENANCE_PRUNE_GRACE", span{0, 10 * year, func(c *Config) *time.Duration { return &c.Maintenance.Rules.Pruning.Grace }}},
	{"maintenance.prune.project_budget", "MEMORY_MAINTENANCE_PRUNE_PROJECT_BUDGET", integer{1, mostTokens, func(c *Config) *int { return &c.Maintenance.Rules.Pruning.ProjectBudget }}},
	{"maintenance.prune.user_budget", "MEMORY_MAINTENANCE_PRUNE_USER_BUDGET", integer{1, mostTokens, func(c *Config) *int { return &c.Maintenance.Rules.Pruning.UserBudget }}},
	{"maintenance.prune.largest_share", "MEMORY_MAINTENANCE_PRUNE_LARGEST_SHARE", number{0.001, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Pruning.LargestShare }}},
	{"maintenance.prune.window", "MEMORY_MAINTENANCE_PRUNE_WINDOW", span{time.Minute, year, func(c *Config) *time.Duration { return &c.Maintenance.Rules.Pruning.Window }}},
	{"maintenance.half_life.working", "MEMORY_MAINTENANCE_HALF_LIFE_WORKING", number{0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.WorkingHalfLife }}},
	{"maintenance.half_life.episodic", "MEMORY_MAINTENANCE_HALF_LIFE_EPISODIC", number{0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.EpisodicHalfLife }}},
	{"maintenance.half_life.semantic", "MEMORY_MAINTENANCE_HALF_LIFE_SEMANTIC", number{0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.SemanticHalfLife }}},
	{"maintenance.half_life.procedural", "MEMORY_MAINTENANCE_HALF_LIFE_PROCEDURAL", number{0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.ProceduralHalfLife }}},
	{"maintenance.half_life.lengthening", "MEMORY_MAINTENANCE_HALF_LIFE_LENGTHENING", number{0, 10, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.Lengthening }}},
	{"maintenance.half_life.longest_factor", "MEMORY_MAINTENANCE_HALF_LIFE_LONGEST_FACTOR", number{1, 10_000, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.LongestFactor }}},
}
