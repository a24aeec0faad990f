package config

import "time"

// Recall holds the numbers of the ranking; recall.Weights has the same fields and
// says what each means.
type Recall struct {
	K1              float64
	B               float64
	Own             float64
	Context         float64
	Session         float64
	Next            float64
	Previous        float64
	Answer          float64
	NeighbourGap    time.Duration
	LongFrom        float64
	SmallSession    float64
	Label           float64
	Frame           float64
	Variant         float64
	Synonym         float64
	Proximity       float64
	When            float64
	Count           float64
	Meaning         float64
	Path            float64
	Name            float64
	Dir             float64
	Ext             float64
	Command         float64
	Program         float64
	Signature       float64
	Time            float64
	TimeOutside     float64
	ScopeSession    float64
	ScopeProject    float64
	ScopeUser       float64
	Strength        float64
	Recency         float64
	RecencyHalfLife time.Duration
	SameSession     float64
	UserWords       float64
	Created         float64
	Consolidated    float64
	Archived        float64
	Superseded      float64
	Chance          float64
	Floor           float64
	MaxPostings     int
}

// defaultRecall is recall.DefaultWeights, as a test of pkg/agent has it; hooks
// read the settings without linking the ranking.
func defaultRecall() Recall {
	return Recall{
		K1:              1.2,
		B:               0.75,
		Own:             0.25,
		Context:         1,
		Session:         0.8,
		Next:            0.3,
		Previous:        0.5,
		Answer:          2,
		NeighbourGap:    10 * time.Minute,
		LongFrom:        40,
		SmallSession:    4,
		Label:           2,
		Frame:           0.7,
		Variant:         1,
		Synonym:         0.22,
		Proximity:       0.1,
		When:            0.25,
		Count:           0.1,
		Meaning:         0.4,
		Path:            3,
		Name:            1.5,
		Dir:             0.5,
		Ext:             0.1,
		Command:         3,
		Program:         1,
		Signature:       3,
		Time:            1.6,
		TimeOutside:     0.8,
		ScopeSession:    1.5,
		ScopeProject:    1,
		ScopeUser:       0.7,
		Strength:        0.1,
		Recency:         0.1,
		RecencyHalfLife: 7 * 24 * time.Hour,
		SameSession:     0.1,
		UserWords:       0.2,
		Created:         1,
		Consolidated:    1,
		Archived:        0,
		Superseded:      0.5,
		Chance:          1.5,
		Floor:           0.35,
		MaxPostings:     20_000,
	}
}

// recallSettings is the part of the register that ranks.
var recallSettings = []setting{
	{"recall.k1", "MEMORY_RECALL_K1", number(0, 10, func(c *Config) *float64 { return &c.Recall.K1 })},
	{"recall.b", "MEMORY_RECALL_B", number(0, 1, func(c *Config) *float64 { return &c.Recall.B })},
	{"recall.own", "MEMORY_RECALL_OWN", number(0, 100, func(c *Config) *float64 { return &c.Recall.Own })},
	{"recall.context", "MEMORY_RECALL_CONTEXT", number(0, 100, func(c *Config) *float64 { return &c.Recall.Context })},
	{"recall.session", "MEMORY_RECALL_SESSION", number(0, 100, func(c *Config) *float64 { return &c.Recall.Session })},
	{"recall.next", "MEMORY_RECALL_NEXT", number(0, 10, func(c *Config) *float64 { return &c.Recall.Next })},
	{"recall.previous", "MEMORY_RECALL_PREVIOUS", number(0, 10, func(c *Config) *float64 { return &c.Recall.Previous })},
	{"recall.answer", "MEMORY_RECALL_ANSWER", number(0, 100, func(c *Config) *float64 { return &c.Recall.Answer })},
	{"recall.neighbour_gap", "MEMORY_RECALL_NEIGHBOUR_GAP", span(0, 24*time.Hour, func(c *Config) *time.Duration { return &c.Recall.NeighbourGap })},
	{"recall.long_from", "MEMORY_RECALL_LONG_FROM", number(0, 10_000, func(c *Config) *float64 { return &c.Recall.LongFrom })},
	{"recall.small_session", "MEMORY_RECALL_SMALL_SESSION", number(0, 10_000, func(c *Config) *float64 { return &c.Recall.SmallSession })},
	{"recall.label", "MEMORY_RECALL_LABEL", number(0, 100, func(c *Config) *float64 { return &c.Recall.Label })},
	{"recall.frame", "MEMORY_RECALL_FRAME", number(0, 1, func(c *Config) *float64 { return &c.Recall.Frame })},
	{"recall.variant", "MEMORY_RECALL_VARIANT", number(0, 1, func(c *Config) *float64 { return &c.Recall.Variant })},
	{"recall.synonym", "MEMORY_RECALL_SYNONYM", number(0, 1, func(c *Config) *float64 { return &c.Recall.Synonym })},
	{"recall.proximity", "MEMORY_RECALL_PROXIMITY", number(0, 10, func(c *Config) *float64 { return &c.Recall.Proximity })},
	{"recall.when", "MEMORY_RECALL_WHEN", number(0, 10, func(c *Config) *float64 { return &c.Recall.When })},
	{"recall.count", "MEMORY_RECALL_COUNT", number(0, 10, func(c *Config) *float64 { return &c.Recall.Count })},
	{"recall.meaning", "MEMORY_RECALL_MEANING", number(0, 10, func(c *Config) *float64 { return &c.Recall.Meaning })},
	{"recall.path", "MEMORY_RECALL_PATH", number(0, 100, func(c *Config) *float64 { return &c.Recall.Path })},
	{"recall.name", "MEMORY_RECALL_NAME", number(0, 100, func(c *Config) *float64 { return &c.Recall.Name })},
	{"recall.dir", "MEMORY_RECALL_DIR", number(0, 100, func(c *Config) *float64 { return &c.Recall.Dir })},
	{"recall.ext", "MEMORY_RECALL_EXT", number(0, 100, func(c *Config) *float64 { return &c.Recall.Ext })},
	{"recall.command", "MEMORY_RECALL_COMMAND", number(0, 100, func(c *Config) *float64 { return &c.Recall.Command })},
	{"recall.program", "MEMORY_RECALL_PROGRAM", number(0, 100, func(c *Config) *float64 { return &c.Recall.Program })},
	{"recall.signature", "MEMORY_RECALL_SIGNATURE", number(0, 100, func(c *Config) *float64 { return &c.Recall.Signature })},
	{"recall.time", "MEMORY_RECALL_TIME", number(0, 100, func(c *Config) *float64 { return &c.Recall.Time })},
	{"recall.time_outside", "MEMORY_RECALL_TIME_OUTSIDE", number(0, 1, func(c *Config) *float64 { return &c.Recall.TimeOutside })},
	{"recall.scope_session", "MEMORY_RECALL_SCOPE_SESSION", number(0, 100, func(c *Config) *float64 { return &c.Recall.ScopeSession })},
	{"recall.scope_project", "MEMORY_RECALL_SCOPE_PROJECT", number(0, 100, func(c *Config) *float64 { return &c.Recall.ScopeProject })},
	{"recall.scope_user", "MEMORY_RECALL_SCOPE_USER", number(0, 100, func(c *Config) *float64 { return &c.Recall.ScopeUser })},
	{"recall.strength", "MEMORY_RECALL_STRENGTH", number(0, 100, func(c *Config) *float64 { return &c.Recall.Strength })},
	{"recall.recency", "MEMORY_RECALL_RECENCY", number(0, 100, func(c *Config) *float64 { return &c.Recall.Recency })},
	{"recall.recency_half_life", "MEMORY_RECALL_RECENCY_HALF_LIFE", span(time.Minute, 10*365*24*time.Hour, func(c *Config) *time.Duration { return &c.Recall.RecencyHalfLife })},
	{"recall.same_session", "MEMORY_RECALL_SAME_SESSION", number(0, 100, func(c *Config) *float64 { return &c.Recall.SameSession })},
	{"recall.user_words", "MEMORY_RECALL_USER_WORDS", number(0, 100, func(c *Config) *float64 { return &c.Recall.UserWords })},
	{"recall.created", "MEMORY_RECALL_CREATED", number(0, 100, func(c *Config) *float64 { return &c.Recall.Created })},
	{"recall.consolidated", "MEMORY_RECALL_CONSOLIDATED", number(0, 100, func(c *Config) *float64 { return &c.Recall.Consolidated })},
	{"recall.archived", "MEMORY_RECALL_ARCHIVED", number(0, 100, func(c *Config) *float64 { return &c.Recall.Archived })},
	{"recall.superseded", "MEMORY_RECALL_SUPERSEDED", number(0, 1, func(c *Config) *float64 { return &c.Recall.Superseded })},
	{"recall.chance", "MEMORY_RECALL_CHANCE", number(-100, 100, func(c *Config) *float64 { return &c.Recall.Chance })},
	{"recall.floor", "MEMORY_RECALL_FLOOR", number(0, 1, func(c *Config) *float64 { return &c.Recall.Floor })},
	{"recall.max_postings", "MEMORY_RECALL_MAX_POSTINGS", integer(100, 10_000_000, func(c *Config) *int { return &c.Recall.MaxPostings })},
}
