package config

// descriptions has a line about each setting, for lists. The rows of docs/configuration.md begin with the same
// words. Hook programs do not link it, because they list no settings.
var descriptions = []struct{ key, text string }{
	{Disabled, "switches all hooks off"},
	{"store.url", "URL of a remote SurrealDB (ws, wss, http, https); empty: a local engine"},
	{"store.namespace", "namespace in SurrealDB"},
	{"store.database", "database in the namespace"},
	{"store.user", "user to sign in as"},
	{"store.pass", "password of the user; better in the environment than in the file"},
	{"store.token", "token to sign in with, instead of user and password"},
	{"store.ca_file", "CA certificates (PEM file) that the server's certificate is checked against, instead of the system's"},
	{"store.engine_path", "folder of the embedded engine"},
	{"daemon.idle_exit", "time without a request after which the daemon and its engine end; 0: never"},
	{"daemon.batch_size", "events in one transaction, 1 to 5000"},
	{"hooks.durability", "what a captured event survives: power (a power failure) or process (the end of a process)"},
	{"hooks.deadline", "time limit of a hook, and of a session's start while a daemon is ready"},
	{"hooks.session_start.deadline", "time limit of a session's start while no daemon runs yet"},
	{"hooks.session_start.token_budget", "maximum tokens of a session's start, 0 to 10000"},
	{"hooks.session_start.said_tokens", "maximum tokens of a session's start for the user's own words, 0 to 10000; 0: as many as fit"},
	{"hooks.notices", "tell you when memory does not work, and once per session how many memories it added"},
	{"hooks.user_prompt.token_budget", "maximum tokens injected for a prompt, 0 to 10000; 0: none"},
	{"hooks.pre_tool_use.token_budget", "maximum tokens injected before a tool runs"},
	{"hooks.teammate_idle.interval", "minimum time between two maintenance runs started by idle teammates or ending sessions"},
	{"tokens.encoding", "encoding for counting tokens: o200k_base or cl100k_base"},
	{"events.keep_days", "days for which edits, commands, last words and other events are kept, 0 to 3650; 0: for ever"},
	{"backup.directory", "folder of the daily backups"},
	{"backup.keep", "number of daily backups to keep, 1 to 365"},
	{"backup.journal_days", "days for which the journal of events and changes is kept, 0 to 3650; 0: no journal"},
	{"maintenance.enabled", "run maintenance jobs automatically"},
	{DistillEnabled, "let a model write summaries and facts of ended sessions"},
	{"distill.runner", "how the model is reached: claude (your own Claude Code) or endpoint (an OpenAI-compatible one)"},
	{"distill.command", "Claude Code's program: a name on the PATH, or a path"},
	{"distill.model", "model name for the runner"},
	{"distill.url", "URL of the endpoint, or of the API for Claude Code; empty: the client's default"},
	{"distill.time_limit", "time limit of one call; then the runner is killed"},
	{"distill.every", "time between two searches for waiting sessions; 0: only when a session ends"},
	{"distill.session_tokens", "maximum tokens per session"},
	{"distill.day_tokens", "maximum tokens per day in UTC; then distillation stops until the next day"},
	{"distill.input_price", "USD per million input tokens, for estimates"},
	{"distill.output_price", "USD per million output tokens, for estimates"},
}

func describe(key string) string {
	for _, one := range descriptions {
		if one.key == key {
			return one.text
		}
	}
	return ""
}
