package daemonapi

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The methods with which people and models search and read.
var (
	// MethodMemories lists memories by a memory.Filter.
	MethodMemories = Method[memory.Filter, []Listed]{"memories"}
	// MethodFind returns the memories that answer a question, ranked; MethodAnswer returns as many as fit into a token budget.
	MethodFind   = Method[FindParams, []memory.Hit]{"find"}
	MethodAnswer = Method[AnswerParams, Answer]{"answer"}
	// MethodFetch returns memories to show in a session, without those of other projects. The session's prompts do not inject them again.
	MethodFetch = Method[FetchParams, Fetched]{"fetch"}
	// MethodExplain returns a memory with its history, and why it is recalled or is not.
	MethodExplain = Method[ExplainParams, Explanation]{"explain"}
	// MethodWhy returns the memories that a prompt would get, and the memories that it would narrowly miss, each with a reason.
	MethodWhy = Method[WhyParams, WhyResult]{"why"}
	// MethodList lists memories by their properties, without a question.
	MethodList = Method[ListParams, ListResult]{"list"}
)

// Listed is a memory with the id of the memory that superseded it, if any.
type Listed struct {
	memory.Memory
	SupersededBy string `json:"superseded_by,omitempty"`
}

// FindParams asks for memories that answer a question, including those that the session has already seen.
type FindParams struct {
	Project string        `json:"project"`
	Session string        `json:"session"`
	Text    string        `json:"text"`
	Files   []string      `json:"files,omitempty"` // relative to the project's root
	Kinds   []memory.Kind `json:"kinds,omitempty"` // all if empty
	// Archived searches archived memories only. Without Text it lists them.
	Archived bool `json:"archived,omitempty"`
	// Words leaves out memories that share no word with Text.
	Words bool `json:"words,omitempty"`
	Limit int  `json:"limit"`
}

// AnswerParams asks for as many memories as fit into a token budget.
type AnswerParams struct {
	FindParams
	TokenBudget int `json:"token_budget"` // maximum number of tokens of the whole Answer as JSON
}

// Answer is the answer to a question. Its fields are sorted by their JSON names, because the client sorts them and
// Tokens must be exact.
type Answer struct {
	Left     int        `json:"left,omitempty"` // number of memories that fit the question but not the budget
	Memories []Answered `json:"memories"`       // the best first
	// Nearest is set if no memory fits the question, and Memories has the nearest instead.
	Nearest bool   `json:"nearest,omitempty"`
	Note    string `json:"note,omitempty"` // says to what degree the memories may be trusted
	Tokens  int    `json:"tokens"`
}

type Answered struct {
	Content string `json:"content"`
	Date    string `json:"date"` // day of the last sighting
	ID      string `json:"id"`   // id with as many digits as make it unique
	Kind    string `json:"kind"`
	Source  string `json:"source"`           // author
	Status  string `json:"status,omitempty"` // empty for an active memory
}

// FetchParams names memories of a project and of the user, by ids or beginnings of ids, to show in a session.
type FetchParams struct {
	Project string   `json:"project"`
	IDs     []string `json:"ids"`
	Session string   `json:"session"`
}

// Fetched holds the memories in the order of the requested ids, without those that the session may not see.
type Fetched struct {
	Memories []memory.Memory `json:"memories"`
	// Superseded maps the id of each superseded fact in Memories to the id of the fact that superseded it.
	Superseded map[string]string `json:"superseded,omitempty"`
	// Refused lists the requested beginnings of ids that are ambiguous.
	Refused []Refusal `json:"refused,omitempty"`
}

// ExplainParams asks about one memory. With Text it also asks whether that prompt gets the memory.
type ExplainParams struct {
	Project string `json:"project"`
	Root    string `json:"root,omitempty"` // directory of the project
	ID      string `json:"id"`             // id or its beginning
	Text    string `json:"text,omitempty"`
}

// Explanation is a memory with its history and what recall does with it.
type Explanation struct {
	Row     memory.Row     `json:"row,omitzero"` // row as maintenance sees it
	History memory.History `json:"history"`      // the changes that jobs and people made
	// Strength is the importance after fading, 0 to 1, by the rules of pruning. A memory below ArchiveBelow may be
	// archived, unless it is Protected.
	Strength     float64 `json:"strength"`
	ArchiveBelow float64 `json:"archive_below"`
	Protected    bool    `json:"protected"`
	// Start says whether the start of a session shows the memory.
	Start StartVerdict `json:"start"`
	// Query is nil if the parameters had no Text.
	Query *QueryExplanation `json:"query,omitempty"`
}

// How a start shows a memory.
const (
	GivenInFull  = "in_full"
	GivenByTitle = "by_title"
)

// Reason names why a memory is left out.
type Reason string

// Reasons why a start or a prompt does not get a memory.
const (
	NotActive     Reason = "not_active"
	NotOfAStart   Reason = "not_of_a_start"
	Rivalled      Reason = "rivalled" // a newer fact has another value
	Outnumbered   Reason = "outnumbered"
	SaidInPassing Reason = "said_in_passing"
	Superseded    Reason = "superseded"
	Repeated      Reason = "repeated" // another memory that is shown says the same
	InFile        Reason = "in_file"  // a file that the client loads says it
	NoRoom        Reason = "no_room"
	InContext     Reason = "in_context" // the conversation has seen it
	OfThisSession Reason = "of_this_session"
	NoFit         Reason = "no_fit"
	SwitchedOff   Reason = "off"
)

// AllOff is the reason why no memory is given while the memory is off everywhere.
const AllOff = "the memory is off: MEMORY_DISABLED or the setting disabled is set, or config.json cannot be read; memory doctor says which, and what to do"

// LeftOut says why a memory is not injected.
type LeftOut struct {
	Reason Reason `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`  // id of the memory that displaces it, if any
	Why    string `json:"why,omitempty"` // the reason in words
}

// StartVerdict describes whether the start of a session shows a memory, and if not, why.
type StartVerdict struct {
	Given string `json:"given,omitempty"` // GivenInFull or GivenByTitle; empty if it is not shown
	LeftOut
	Tokens int `json:"tokens"` // tokens of the whole start
	Budget int `json:"budget"`
}

// QueryExplanation describes what a query does with a memory.
type QueryExplanation struct {
	Rank    int     `json:"rank"` // place among the injected memories, from 1; 0 if it is not injected
	LeftOut         // why it is left out; if it is injected, Why says why
	Silent  bool    `json:"silent"` // whether nothing at all is injected
	Score   float64 `json:"score"`  // can be compared only within one query
}

// WhyParams asks about a prompt as if it were the first of a new session of the project.
type WhyParams struct {
	Project string `json:"project"`
	Root    string `json:"root,omitempty"` // directory of the project
	Text    string `json:"text"`
}

// WhyResult describes the memories for a prompt.
type WhyResult struct {
	Injected []WhyHit `json:"injected"` // the best first
	Skipped  []WhyHit `json:"skipped"`  // the best first
	Silent   bool     `json:"silent"`   // nothing is injected
}

// WhyHit is a memory with the reason why a prompt gets it or not.
type WhyHit struct {
	Memory  memory.Memory `json:"memory"`
	Score   float64       `json:"score"` // can be compared only within one prompt
	LeftOut               // why it is left out; if it is injected, Why says why
}

// ListParams selects memories of a project and of the user. An empty field selects all.
type ListParams struct {
	Project string        `json:"project"`
	Kinds   []memory.Kind `json:"kinds,omitempty"` // kinds that record activity are listed only if they are named here
	Tag     string        `json:"tag,omitempty"`
	File    string        `json:"file,omitempty"` // file or folder, relative to the project's root
	Status  memory.Status `json:"status,omitempty"`
	Scope   memory.Scope  `json:"scope,omitempty"`
	Skip    int           `json:"skip,omitempty"` // number of memories before the first one of the page
	Limit   int           `json:"limit"`
}

// ListResult holds the memories, the one seen last first.
type ListResult struct {
	Memories []memory.Memory `json:"memories"`
	Left     int             `json:"left,omitempty"` // number of memories beyond Limit
	// Superseded maps the ids of superseded memories to the ids of those that superseded them.
	Superseded map[string]string `json:"superseded,omitempty"`
}
