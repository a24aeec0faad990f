package daemonapi

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The methods by which people and models ask.
var (
	// MethodMemories lists memories by a memory.Filter.
	MethodMemories = Method[memory.Filter, []memory.Memory]{"memories"}
	// MethodCount counts the rows that match a memory.Filter, whatever its limit.
	MethodCount = Method[memory.Filter, int]{"count"}
	// MethodCorrected returns, for each of some memories that was corrected, the id of the memory that corrects it.
	MethodCorrected = Method[[]string, map[string]string]{"corrected"}
	// MethodFind ranks the memories that answer a question; MethodAnswer packs them
	// into a budget.
	MethodFind   = Method[FindParams, []memory.Hit]{"find"}
	MethodAnswer = Method[AnswerParams, Answer]{"answer"}
	// MethodGet returns memories by their ids, or by beginnings of ids. It leaves out those that a project has no part
	// in.
	MethodGet = Method[GetParams, []memory.Memory]{"get"}
	// MethodFetch returns memories to show in a session: no prompt of the session injects them again.
	MethodFetch = Method[FetchParams, Fetched]{"fetch"}
	// MethodExplain returns a memory with its history, and why it is recalled or is not.
	MethodExplain = Method[ExplainParams, Explanation]{"explain"}
	// MethodWhy returns the memories that a prompt would get now, and those that it would just miss, with
	// reasons; and the memories that it got when it was typed.
	MethodWhy = Method[WhyParams, WhyResult]{"why"}
	// MethodPrompts returns the last prompts of a project, with the number of memories that were injected for each.
	MethodPrompts = Method[OfProject, []AskedPrompt]{"prompts"}
	// MethodList lists memories by their properties, without a question.
	MethodList = Method[ListParams, ListResult]{"list"}
	// MethodRivals lists the facts that cannot hold beside a newer fact, where nobody has said which of the two holds.
	MethodRivals = Method[OfProject, []Rivals]{"rivals"}
)

// FindParams asks for memories that answer a question, including those that the session already
// has.
type FindParams struct {
	Project string        `json:"project"`
	Session string        `json:"session"`
	Text    string        `json:"text"`
	Files   []string      `json:"files,omitempty"` // relative to the project's root
	Kinds   []memory.Kind `json:"kinds,omitempty"` // all if empty
	// Archived searches only archived memories; without a text it lists them.
	Archived bool `json:"archived,omitempty"`
	// Words leaves out memories that have no word of the text.
	Words bool `json:"words,omitempty"`
	Limit int  `json:"limit"`
}

// AnswerParams asks for as many of the memories as fit into a budget.
type AnswerParams struct {
	FindParams
	TokenBudget int `json:"token_budget"` // of the whole Answer as JSON
	// Explain adds to each memory why it was found.
	Explain bool `json:"explain,omitempty"`
}

// Answer is the answer to a question. Its fields are in the order of their names, in which the client
// shows them to the model, so that Tokens is exact.
type Answer struct {
	Left     int        `json:"left,omitempty"` // how many fit the question but not the budget
	Memories []Answered `json:"memories"`       // the best first
	// Nearest is set if no memory fits the question; Memories then has the nearest one, if any is near.
	Nearest bool   `json:"nearest,omitempty"`
	Note    string `json:"note,omitempty"` // how far the memories may be trusted
	Tokens  int    `json:"tokens"`
}

// Answered is one memory of an answer.
type Answered struct {
	Content string `json:"content"`
	Date    string `json:"date"` // when it was last seen
	ID      string `json:"id"`   // enough digits to be unique
	Kind    string `json:"kind"`
	Source  string `json:"source"`           // its author
	Status  string `json:"status,omitempty"` // unless it is active
	Why     string `json:"why,omitempty"`    // the parts of its score, if asked for
}

// GetParams asks for memories of a project and of the user.
type GetParams struct {
	Project string   `json:"project"`
	IDs     []string `json:"ids"`
}

// FetchParams asks for memories as GetParams does, to show them in a session.
type FetchParams struct {
	GetParams
	Session string `json:"session"`
}

// Fetched holds the memories in the order of their ids, without those that nobody may see.
type Fetched struct {
	Memories []memory.Memory `json:"memories"`
	// Superseded maps the ids of the facts among them that newer memories make false to the ids of
	// these.
	Superseded map[string]string `json:"superseded,omitempty"`
	// Refused lists the requested ids with which several memories begin.
	Refused []Refusal `json:"refused,omitempty"`
}

// ExplainParams asks about one memory, and about its fate under a query if there is one.
type ExplainParams struct {
	Project string   `json:"project"`
	Root    string   `json:"root,omitempty"` // of the project, where it is worked on
	Dir     string   `json:"dir,omitempty"`  // that the question is asked in; empty: the root
	ID      string   `json:"id"`             // or its beginning
	Text    string   `json:"text,omitempty"`
	Files   []string `json:"files,omitempty"` // relative to the project's root
}

// Explanation is a memory with its history and everything that recall uses of it.
type Explanation struct {
	Row     memory.Row     `json:"row,omitzero"` // as maintenance sees it
	History memory.History `json:"history"`      // the changes that jobs and people made
	// Strength is the importance as it has faded by now, 0 to 1, by the pruning rules. Below
	// ArchiveBelow the memory may be archived, unless it is Protected.
	Strength     float64 `json:"strength"`
	ArchiveBelow float64 `json:"archive_below"`
	Protected    bool    `json:"protected"`
	// Start describes what happens to it at the start of a session.
	Start StartFate `json:"start"`
	// Query is absent if no query was asked about.
	Query *QueryExplanation `json:"query,omitempty"`
}

// How a start shows a memory.
const (
	GivenInFull  = "in_full"
	GivenByTitle = "by_title"
)

// Reason is the reason why a memory is left out.
type Reason string

// The reasons. The first ones apply only to a start, the last ones only to a prompt.
const (
	NotActive     Reason = "not_active"
	OfASession    Reason = "of_a_session"
	NotOfAStart   Reason = "not_of_a_start"
	Rivalled      Reason = "rivalled" // a newer fact has another value
	Outnumbered   Reason = "outnumbered"
	SaidInPassing Reason = "said_in_passing"
	Superseded    Reason = "superseded"
	Repeated      Reason = "repeated" // another one that is given, or is in the context, says it
	InFile        Reason = "in_file"  // that the client loads
	Unsettled     Reason = "unsettled"
	NoRoom        Reason = "no_room"
	InContext     Reason = "in_context" // the conversation has it
	OfThisSession Reason = "of_this_session"
	NoFit         Reason = "no_fit"
)

// StartFate describes whether a session starts with a memory, and if not, why.
type StartFate struct {
	Given  string `json:"given,omitempty"` // GivenInFull, GivenByTitle; empty: not at all
	Reason Reason `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`  // the memory on account of which it is not
	Why    string `json:"why,omitempty"` // the reason in words
	Tokens int    `json:"tokens"`        // of the start
	Budget int    `json:"budget"`
}

// Because sets the reason why a memory is left out.
func (f *StartFate) Because(reason Reason, by, why string) { f.Reason, f.By, f.Why = reason, by, why }

// QueryExplanation describes what happens to a memory under a query.
type QueryExplanation struct {
	Rank   int     `json:"rank"`             // its place among the memories that a new session is given, from 1; 0 if it is not given
	Why    string  `json:"why"`              // it is given, or is not
	Reason Reason  `json:"reason,omitempty"` // why it is not
	Silent bool    `json:"silent"`           // nothing is given
	Score  float64 `json:"score"`            // only compares memories under one query
}

// WhyParams asks about a prompt as if it were the first one in a new session of the project.
type WhyParams struct {
	Project string `json:"project"`
	Root    string `json:"root,omitempty"` // of the project, where it is worked on
	Dir     string `json:"dir,omitempty"`  // that the prompt is typed in; empty: the root
	Text    string `json:"text"`
	// Session and At are where and when the prompt was typed, to find the memories that were injected
	// then. If empty, these are not looked for.
	Session string    `json:"session,omitempty"`
	At      time.Time `json:"at,omitzero"`
}

// WhyResult describes what the prompt would get.
type WhyResult struct {
	Injected []WhyHit `json:"injected"` // the best first
	Skipped  []WhyHit `json:"skipped"`  // the best first
	Silent   bool     `json:"silent"`   // nothing is injected
	// AtStart lists the ids of the memories with which the session starts in full; they are not
	// injected again.
	AtStart []string `json:"at_start,omitempty"`
	// Then holds the memories that are recorded as injected when the prompt was typed, with their
	// present texts; skipped memories are not recorded.
	Then []memory.Memory `json:"then,omitempty"`
}

// WhyHit is what a prompt does with a memory.
type WhyHit struct {
	Memory memory.Memory `json:"memory"`
	Score  float64       `json:"score"`            // only compares memories under one prompt
	Why    string        `json:"why"`              // it is injected, or is not
	Reason Reason        `json:"reason,omitempty"` // why it is not
	By     string        `json:"by,omitempty"`     // the memory on account of which it is not
	// InjectedAt is when the memory was injected into the session before the prompt, which then does not
	// inject it again.
	InjectedAt time.Time `json:"injected_at,omitzero"`
}

// AskedPrompt is a prompt of a session.
type AskedPrompt struct {
	memory.Prompt
	Injected int `json:"injected"` // memories, as recorded
}

// ListParams select memories of a project and of the user; an empty field does not restrict them.
type ListParams struct {
	Project string        `json:"project"`
	Session string        `json:"session"`         // the one that asks
	Kinds   []memory.Kind `json:"kinds,omitempty"` // the kinds that record activity only where they are named
	Tag     string        `json:"tag,omitempty"`
	File    string        `json:"file,omitempty"` // or a folder, relative to the project's root
	Since   time.Time     `json:"since,omitzero"` // last seen then or later
	Until   time.Time     `json:"until,omitzero"` // last seen before
	Status  memory.Status `json:"status,omitempty"`
	Scope   memory.Scope  `json:"scope,omitempty"`
	// Skip leaves out this many of the first rows that recall can find, 0 or more. Other rows,
	// such as archived ones, come in pages, the one archived or seen last first: After is the Next
	// of the page before.
	Skip  int    `json:"skip,omitempty"`
	After string `json:"after,omitempty"`
	// LastSession lists the memories of the last session that has ended, the oldest first.
	LastSession bool `json:"last_session,omitempty"`
	Limit       int  `json:"limit"`
}

// ListResult holds the memories, the one seen last first.
type ListResult struct {
	Memories []memory.Memory `json:"memories"`
	Left     int             `json:"left,omitempty"` // beyond the limit, of those that recall can find
	// Next is the After of the next page; empty if there is none. A page that is not full may have
	// a next one, because one call looks through 2,000 memories at most.
	Next string `json:"next,omitempty"`
	// Summary and Digest describe the last session, if it was asked for.
	Summary string        `json:"summary,omitempty"`
	Digest  memory.Digest `json:"digest,omitzero"`
}

// OfProject names a project.
type OfProject struct {
	Project string `json:"project"`
	Limit   int    `json:"limit,omitempty"` // of the listed memories, 1 to 100
}

// Rivals are two facts that differ only in a value; a start has only the newer one.
type Rivals struct {
	Older memory.Memory `json:"older"`
	Newer memory.Memory `json:"newer"`
}
