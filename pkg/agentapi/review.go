package agentapi

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

var (
	// MethodReview lists the memories that rules kept unasked and no person has judged
	// yet.
	MethodReview = Method[ReviewParams, ReviewResult]{"review"}
	// MethodCensus counts the active memories of a project and of the user.
	MethodCensus = Method[CensusParams, Census]{"census"}
)

// ReviewParams names the project.
type ReviewParams struct {
	Project string `json:"project"`
	Limit   int    `json:"limit"`
}

// ResolveProject implements ProjectNamer.
func (p *ReviewParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ReviewResult is the queue, the latest first, and how earlier ones were judged.
type ReviewResult struct {
	Items []ReviewItem  `json:"items"`
	More  bool          `json:"more,omitempty"` // beyond the limit
	Rules []RuleVerdict `json:"rules"`          // by the name of the rule
}

// ReviewItem is a memory with the rule that kept it.
type ReviewItem struct {
	Memory memory.Memory `json:"memory"`
	Rule   string        `json:"rule"`
}

// RuleVerdict counts how many of a rule's memories people have confirmed and put away, in
// all projects.
type RuleVerdict struct {
	Rule      string `json:"rule"`
	Confirmed int    `json:"confirmed"`
	PutAway   int    `json:"put_away"`
	// Weight is the factor, above 0.5 to 1, on the importance of memories that the rule
	// keeps: see policy.VerdictWeight.
	Weight float64 `json:"weight"`
}

// CensusParams names the project.
type CensusParams struct {
	Project string `json:"project"`
}

// ResolveProject implements ProjectNamer.
func (p *CensusParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// Census counts active memories: those that recall can find, without records of activity.
type Census struct {
	Kinds  map[memory.Kind]int  `json:"kinds"`
	Types  map[memory.Type]int  `json:"types"`
	Scopes map[memory.Scope]int `json:"scopes"`
	Tokens map[memory.Scope]int `json:"tokens"` // of the lines of those of each scope
	Days   []CensusDay          `json:"days"`   // on which any of them was learned, the first first
}

// CensusDay counts the memories learned on a day, by UTC.
type CensusDay struct {
	Day     string `json:"day"` // 2006-01-02
	Learned int    `json:"learned"`
}
