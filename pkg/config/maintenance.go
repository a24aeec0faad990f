package config

import "time"

// Maintenance says when the agent's jobs run, and by which rules.
type Maintenance struct {
	// The cron expressions of the jobs; an empty one switches its job off.
	RecountCron, CloseCron, DistilCron, DedupCron, PromoteCron, PruneCron string

	CloseAfter time.Duration // a session silent for that long is closed as abandoned
	Jitter     time.Duration // a scheduled job starts up to that much later
	Quiet      time.Duration // maintenance keeps off that long after the agent's start or a session's end
	Lease      time.Duration // a job that stalls for that long may be taken over by another agent

	Rules Rules
}

// Crons are the cron expressions by job.
func (m Maintenance) Crons() map[string]string {
	return map[string]string{
		"recount": m.RecountCron, "close": m.CloseCron, "distil": m.DistilCron, "dedup": m.DedupCron,
		"promote": m.PromoteCron, "prune": m.PruneCron,
	}
}

// Rules are the numbers by which memories are judged; package policy says what
// each means.
type Rules struct {
	Strength  StrengthRules
	Pruning   PruningRules
	Promotion PromotionRules
	Dedup     DedupRules
	Distil    DistilRules
}

// StrengthRules say how fast memories fade.
type StrengthRules struct {
	WorkingHalfLife    float64 // active days
	EpisodicHalfLife   float64
	SemanticHalfLife   float64
	ProceduralHalfLife float64
	Lengthening        float64 // of the half-life, by each use
	LongestFactor      float64
}

// PruningRules say what is put away.
type PruningRules struct {
	ArchiveBelow  float64 // strength, 0 to 1
	BarelyUsed    int     // uses
	ForgetBelow   float64
	Grace         time.Duration
	ProjectBudget int // tokens
	UserBudget    int
	LargestShare  float64 // of a scope's rows within Window
	Window        time.Duration
}

// PromotionRules say how far a memory reaches.
type PromotionRules struct {
	ProjectImportance float64 // 0 to 1
	ProjectUses       int
	ProjectSessions   int
	UserImportance    float64
	UserUses          int
	UserProjects      int
	Margin            float64 // of importance, between promoting and demoting
}

// DedupRules say what counts as the same.
type DedupRules struct {
	Similarity float64 // Jaccard, of words
}

// DistilRules say what repeated events teach.
type DistilRules struct {
	Episodes      int // that make one fact
	TogetherShare float64
}

func defaultMaintenance() Maintenance {
	return Maintenance{
		RecountCron: "17 * * * *", CloseCron: "7 * * * *", DistilCron: "22 * * * *", DedupCron: "27 * * * *",
		PromoteCron: "32 * * * *", PruneCron: "37 4 * * *",
		CloseAfter: 24 * time.Hour, Jitter: 2 * time.Minute, Quiet: time.Minute, Lease: time.Minute,
		Rules: Rules{
			Strength: StrengthRules{
				WorkingHalfLife: 1.0 / 24, EpisodicHalfLife: 1, SemanticHalfLife: 7, ProceduralHalfLife: 30,
				Lengthening: 0.2, LongestFactor: 32,
			},
			Pruning: PruningRules{
				ArchiveBelow: 0.1, BarelyUsed: 3, ForgetBelow: 0.01, Grace: 30 * 24 * time.Hour,
				ProjectBudget: 200_000, UserBudget: 50_000, LargestShare: 0.1, Window: 12 * time.Hour,
			},
			Promotion: PromotionRules{
				ProjectImportance: 0.5, ProjectUses: 2, ProjectSessions: 2,
				UserImportance: 0.7, UserUses: 5, UserProjects: 2, Margin: 0.2,
			},
			Dedup:  DedupRules{Similarity: 0.85},
			Distil: DistilRules{Episodes: 3, TogetherShare: 0.6},
		},
	}
}

const (
	year       = 365 * 24 * time.Hour
	mostDays   = 3650.0
	mostTokens = 100_000_000
)

var maintenanceSettings = []setting{
	{"maintenance.jitter", "MEMORY_MAINTENANCE_JITTER", span(0, time.Hour, func(c *Config) *time.Duration { return &c.Maintenance.Jitter })},
	{"maintenance.quiet", "MEMORY_MAINTENANCE_QUIET", span(0, time.Hour, func(c *Config) *time.Duration { return &c.Maintenance.Quiet })},
	{"maintenance.lease", "MEMORY_MAINTENANCE_LEASE", span(time.Second, time.Hour, func(c *Config) *time.Duration { return &c.Maintenance.Lease })},
	{"maintenance.close.cron", "MEMORY_MAINTENANCE_CLOSE_CRON", text(func(c *Config) *string { return &c.Maintenance.CloseCron })},
	{"maintenance.close.after", "MEMORY_MAINTENANCE_CLOSE_AFTER", span(time.Minute, year, func(c *Config) *time.Duration { return &c.Maintenance.CloseAfter })},
	{"maintenance.recount.cron", "MEMORY_MAINTENANCE_RECOUNT_CRON", text(func(c *Config) *string { return &c.Maintenance.RecountCron })},
	{"maintenance.distil.cron", "MEMORY_MAINTENANCE_DISTIL_CRON", text(func(c *Config) *string { return &c.Maintenance.DistilCron })},
	{"maintenance.distil.episodes", "MEMORY_MAINTENANCE_DISTIL_EPISODES", integer(1, 100, func(c *Config) *int { return &c.Maintenance.Rules.Distil.Episodes })},
	{"maintenance.distil.together_share", "MEMORY_MAINTENANCE_DISTIL_TOGETHER_SHARE", number(0.51, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Distil.TogetherShare })},
	{"maintenance.dedup.cron", "MEMORY_MAINTENANCE_DEDUP_CRON", text(func(c *Config) *string { return &c.Maintenance.DedupCron })},
	{"maintenance.dedup.similarity", "MEMORY_MAINTENANCE_DEDUP_SIMILARITY", number(0.5, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Dedup.Similarity })},
	{"maintenance.promote.cron", "MEMORY_MAINTENANCE_PROMOTE_CRON", text(func(c *Config) *string { return &c.Maintenance.PromoteCron })},
	{"maintenance.promote.project_importance", "MEMORY_MAINTENANCE_PROMOTE_PROJECT_IMPORTANCE", number(0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Promotion.ProjectImportance })},
	{"maintenance.promote.project_uses", "MEMORY_MAINTENANCE_PROMOTE_PROJECT_USES", integer(1, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Promotion.ProjectUses })},
	{"maintenance.promote.project_sessions", "MEMORY_MAINTENANCE_PROMOTE_PROJECT_SESSIONS", integer(2, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Promotion.ProjectSessions })},
	{"maintenance.promote.user_importance", "MEMORY_MAINTENANCE_PROMOTE_USER_IMPORTANCE", number(0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Promotion.UserImportance })},
	{"maintenance.promote.user_uses", "MEMORY_MAINTENANCE_PROMOTE_USER_USES", integer(1, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Promotion.UserUses })},
	{"maintenance.promote.user_projects", "MEMORY_MAINTENANCE_PROMOTE_USER_PROJECTS", integer(2, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Promotion.UserProjects })},
	{"maintenance.promote.margin", "MEMORY_MAINTENANCE_PROMOTE_MARGIN", number(0.01, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Promotion.Margin })},
	{"maintenance.prune.cron", "MEMORY_MAINTENANCE_PRUNE_CRON", text(func(c *Config) *string { return &c.Maintenance.PruneCron })},
	{"maintenance.prune.archive_below", "MEMORY_MAINTENANCE_PRUNE_ARCHIVE_BELOW", number(0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Pruning.ArchiveBelow })},
	{"maintenance.prune.barely_used", "MEMORY_MAINTENANCE_PRUNE_BARELY_USED", integer(0, 1000, func(c *Config) *int { return &c.Maintenance.Rules.Pruning.BarelyUsed })},
	{"maintenance.prune.forget_below", "MEMORY_MAINTENANCE_PRUNE_FORGET_BELOW", number(0, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Pruning.ForgetBelow })},
	{"maintenance.prune.grace", "MEMORY_MAINTENANCE_PRUNE_GRACE", span(0, 10*year, func(c *Config) *time.Duration { return &c.Maintenance.Rules.Pruning.Grace })},
	{"maintenance.prune.project_budget", "MEMORY_MAINTENANCE_PRUNE_PROJECT_BUDGET", integer(1, mostTokens, func(c *Config) *int { return &c.Maintenance.Rules.Pruning.ProjectBudget })},
	{"maintenance.prune.user_budget", "MEMORY_MAINTENANCE_PRUNE_USER_BUDGET", integer(1, mostTokens, func(c *Config) *int { return &c.Maintenance.Rules.Pruning.UserBudget })},
	{"maintenance.prune.largest_share", "MEMORY_MAINTENANCE_PRUNE_LARGEST_SHARE", number(0.001, 1, func(c *Config) *float64 { return &c.Maintenance.Rules.Pruning.LargestShare })},
	{"maintenance.prune.window", "MEMORY_MAINTENANCE_PRUNE_WINDOW", span(time.Minute, year, func(c *Config) *time.Duration { return &c.Maintenance.Rules.Pruning.Window })},
	{"maintenance.half_life.working", "MEMORY_MAINTENANCE_HALF_LIFE_WORKING", number(0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.WorkingHalfLife })},
	{"maintenance.half_life.episodic", "MEMORY_MAINTENANCE_HALF_LIFE_EPISODIC", number(0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.EpisodicHalfLife })},
	{"maintenance.half_life.semantic", "MEMORY_MAINTENANCE_HALF_LIFE_SEMANTIC", number(0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.SemanticHalfLife })},
	{"maintenance.half_life.procedural", "MEMORY_MAINTENANCE_HALF_LIFE_PROCEDURAL", number(0.001, mostDays, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.ProceduralHalfLife })},
	{"maintenance.half_life.lengthening", "MEMORY_MAINTENANCE_HALF_LIFE_LENGTHENING", number(0, 10, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.Lengthening })},
	{"maintenance.half_life.longest_factor", "MEMORY_MAINTENANCE_HALF_LIFE_LONGEST_FACTOR", number(1, 10_000, func(c *Config) *float64 { return &c.Maintenance.Rules.Strength.LongestFactor })},
}
