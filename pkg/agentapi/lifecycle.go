package agentapi

var (
	// MethodCaller tells the agent which program is connected. It is a notification,
	// best sent before a request: an agent without an engine looks for one again with
	// the caller's PATH, and an agent whose program is older than the caller's makes
	// room for that one.
	MethodCaller = Light[Caller, None]{Method[Caller, None]{"caller"}, Caller.write, (*None).read}
	// MethodPing is answered at once in every state by an agent that is alive.
	MethodPing = Light[None, None]{Method[None, None]{"ping"}, None.write, (*None).read}
)

// Caller is what the agent is told about the calling program. Nothing else of the
// caller's environment is sent: it holds API keys.
type Caller struct {
	Program string `json:"program"` // absolute path of memoryd in the caller's plugin
	Path    string `json:"path"`    // the caller's PATH
	// Distill is what the user answered when the client asked whether sessions may be
	// distilled: "true", "false", or nothing.
	Distill string `json:"distill,omitempty"`
}

// Trouble is what keeps memory from working, in words for the user.
type Trouble struct {
	What string `json:"what"` // a clause without its full stop, such as "no SurrealDB engine was found"
	// Help is a clause that says what to do before the command, if anything.
	Help string `json:"help,omitempty"`
	// Command is the subcommand of `memory` that helps, such as "doctor"; empty: there
	// is nothing to do but wait.
	Command string `json:"command,omitempty"`
}
