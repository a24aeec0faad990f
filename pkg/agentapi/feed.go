package agentapi

import "time"

// MethodFeed returns the latest events of the agent: captured, told, changed, maintained.
// It is answered in every state, and does not count as a use that keeps the agent
// running.
var MethodFeed = Method[FeedParams, FeedResult]{"feed"}

// MethodGlance counts the memories that this agent told one session, by the session's id.
// It is answered in every state, and does not count as a use that keeps the agent
// running.
var MethodGlance = Method[string, Glance]{"glance"}

// Glance sums up the memories of a session, as short as a status line.
type Glance struct {
	State    string `json:"state"`             // of the agent
	Memories int    `json:"memories"`          // that the session was told
	Tokens   int    `json:"tokens"`            // of them, wrappers included
	Last     string `json:"last,omitempty"`    // the first line of the text told last
	Trouble  string `json:"trouble,omitempty"` // the reason why memory does not work
}

// FeedParams asks for the items after a given one.
type FeedParams struct {
	After int64 `json:"after,omitempty"` // the Last of the answer before; 0: all that is still known
	// WaitMS is how long to wait for something new, in milliseconds; 0: not at all.
	WaitMS int `json:"wait_ms,omitempty"`
}

// FeedResult holds the items of the feed, the oldest first.
type FeedResult struct {
	Items []FeedItem `json:"items"`
	Last  int64      `json:"last"` // the number of the newest item there is
	Today FeedDay    `json:"today"`
}

// FeedDay counts the items of today, by the agent's clock, all projects together.
type FeedDay struct {
	Since    time.Time `json:"since"`    // midnight, or the agent's start
	Captured int       `json:"captured"` // events
	Told     int       `json:"told"`     // answers with memories
	Tokens   int       `json:"tokens"`   // of these
	Silent   int       `json:"silent"`   // prompts with nothing new to tell
	Changed  int       `json:"changed"`  // changes by hand, and maintenance runs
}

// The types of items of the feed.
const (
	FeedCaptured   = "captured"   // a hook's event was stored
	FeedTold       = "told"       // a session was told memories, or nothing fitted (Memories is 0)
	FeedChanged    = "changed"    // memories were changed by hand, or imported
	FeedMaintained = "maintained" // a maintenance run has changed something
)

// FeedItem is one thing that happened.
type FeedItem struct {
	Number  int64     `json:"number"` // from 1; grows by one
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	What    string    `json:"what"` // the kind of the event, the purpose of the recall, the job
	Project string    `json:"project,omitempty"`
	Session string    `json:"session,omitempty"`
	Text    string    `json:"text,omitempty"`
	// Memories and Tokens count the memories that were told or changed. TookMS is the
	// time of the answer in the agent, or the time from the captured event until it was
	// stored, in milliseconds.
	Memories int     `json:"memories,omitempty"`
	Tokens   int     `json:"tokens,omitempty"`
	TookMS   float64 `json:"took_ms,omitempty"`
}
