package config

// descriptions has a line on each setting, for lists of them. The rows of docs/configuration.md begin with the same
// words. Hooks list no settings, so their programs do not have them.
var descriptions = []struct{ key, text string }{
	{Disabled, "switches every hook off"},
	{"store.url", "the address of a remote SurrealDB (ws, wss, http, https); empty: a local engine"},
	{"store.namespace", "the namespace in the store"},
	{"store.database", "the database in the namespace"},
	{"store.user", "the user to sign in as"},
	{"store.pass", "the password of the user; better in the environment than in the file"},
	{"store.token", "a token to sign in with, instead of user and password"},
	{"store.ca_file", "a file of certificates (PEM) that may sign the server's, instead of those of the system"},
	{"store.engine_path", "where the embedded engine is installed"},
	{"daemon.idle_exit", "how long the daemon and its engine run without a request; 0: always"},
	{"daemon.batch_size", "events in one transaction, 1 to 5000"},
	{"hooks.durability", "the fault that a captured event survives: power, a power failure; process, the end of a process"},
	{"hooks.deadline", "how long a hook may run; a session's start that far for a daemon that is ready"},
	{"hooks.session_start.deadline", "how long a session's start may wait while no daemon runs yet"},
	{"hooks.session_start.token_budget", "the most tokens that a session starts with, 0 to 10000"},
	{"hooks.session_start.said_tokens", "of these, the most for what the user asked to keep and said, 0 to 10000; 0: as many as fit"},
	{"hooks.notices", "show you that memory does not work, and once a session how many memories it added"},
	{"hooks.user_prompt.token_budget", "the most tokens that are injected for a prompt, 0 to 10000; 0: none"},
	{"hooks.pre_tool_use.token_budget", "the most tokens that are injected before a tool runs"},
	{"hooks.teammate_idle.interval", "the least time between two maintenance runs that idle teammates or ending sessions start"},
	{"tokens.encoding", "the encoding by which tokens are counted: o200k_base or cl100k_base"},
	{"events.keep_days", "how many days edits, commands, last words and other events are kept, 0 to 3650; 0: for ever"},
	{"backup.directory", "where the daily backups are"},
	{"backup.keep", "of how many days backups are kept, 1 to 365"},
	{"backup.journal_days", "how many days the journal of events and changes is kept, 0 to 3650; 0: there is none"},
	{"maintenance.enabled", "the jobs of maintenance run by themselves"},
	{DistillEnabled, "a model writes summaries and facts of ended sessions"},
	{"distill.runner", "the way to the model: claude, your own Claude Code, or endpoint, an OpenAI-compatible one"},
	{"distill.command", "the program of Claude Code, by its name on the PATH or its path"},
	{"distill.model", "the model, as the runner calls it"},
	{"distill.url", "the address of the endpoint, or of the API for Claude Code; empty: the client's own"},
	{"distill.time_limit", "the longest time of one call; then the runner is killed"},
	{"distill.every", "how often the daemon looks again for sessions that wait; 0: only when a session ends"},
	{"distill.session_tokens", "the most tokens of one session"},
	{"distill.day_tokens", "the most tokens of one day by UTC; then it stops until the next"},
	{"distill.input_price", "USD for a million tokens of input, for estimates"},
	{"distill.output_price", "USD for a million tokens of output, for estimates"},
}

func describe(key string) string {
	for _, one := range descriptions {
		if one.key == key {
			return one.text
		}
	}
	return ""
}
