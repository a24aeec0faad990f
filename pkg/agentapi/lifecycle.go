package agentapi

var (
	// MethodMeet tells the agent which program is connected, before anything else: an agent
	// without an engine looks for one again with the caller's PATH, and one that is an
	// older build than the caller's makes room for that. An agent that does not know the
	// question compares no builds, and is replaced by who asks.
	MethodMeet = Light[Caller, None]{Method[Caller, None]{"meet"}, Caller.write, (*None).read}
	// MethodCaller is the notification by which programs of 0.1.0 told the same.
	MethodCaller = Light[Caller, None]{Method[Caller, None]{"caller"}, Caller.write, (*None).read}
	// MethodPing is answered at once in every state by an agent that is alive.
	MethodPing = Light[None, None]{Method[None, None]{"ping"}, None.write, (*None).read}
)

// Caller describes the calling program to the agent. Nothing else of the caller's
// environment is sent: it holds API keys.
type Caller struct {
	Program string `json:"program"` // absolute path of memoryd in the caller's plugin
	Path    string `json:"path"`    // the caller's PATH
	// Distill is the user's answer when the client asked whether sessions may be
	// distilled: "true", "false", or nothing.
	Distill string `json:"distill,omitempty"`
}

// Trouble is a reason why memory does not work, in words for the user.
type Trouble struct {
	What string `json:"what"` // a clause without its full stop, such as "no SurrealDB engine was found"
	// Help is a clause to print before the command, if any: the first thing to do.
	Help string `json:"help,omitempty"`
	// Command is the remedy, a subcommand of `memory` such as "doctor"; empty: there is
	// nothing to do but wait.
	Command string `json:"command,omitempty"`
}

// String names the trouble and its remedy.
func (t Trouble) String() string {
	if help := t.Remedy(); help != "" {
		return t.What + ": " + help
	}
	return t.What
}

// Remedy is the help and the command; empty: nothing but wait.
func (t Trouble) Remedy() string {
	switch {
	case t.Command == "":
		return t.Help
	case t.Help == "":
		return "memory " + t.Command
	}
	return t.Help + " memory " + t.Command
}
