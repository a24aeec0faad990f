package agentapi

var (
	// MethodCaller tells who is on the connection. It is a notification, best sent
	// before a question: an agent without an engine looks again with the caller's
	// PATH, and one whose program is older than the caller's makes room for that.
	MethodCaller = Method[Caller, None]{"caller"}
	// MethodPing is answered at once in every state by an agent that is alive.
	MethodPing = Method[None, None]{"ping"}
)

// Caller is what the agent may know of the program that asks. Nothing else of a
// caller's environment is handed over: it holds API keys.
type Caller struct {
	Program string `json:"program"` // absolute path of memoryd in the caller's plugin
	Path    string `json:"path"`    // the caller's PATH
}

// Trouble is what keeps memory from working, in words for the user.
type Trouble struct {
	What string `json:"what"` // a clause without its full stop, such as "no SurrealDB engine was found"
	// Help is a clause that says what to do before the command, if anything.
	Help string `json:"help,omitempty"`
	// Command is what `memory` is to be called with, such as "doctor"; empty: there
	// is nothing to be done but to wait.
	Command string `json:"command,omitempty"`
}
