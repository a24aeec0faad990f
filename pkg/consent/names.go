package consent

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
)

// The variables by which a client is known that has started a process.
const (
	startedByClient = "CLAUDECODE"
	sessionVariable = "CLAUDE_CODE_SESSION_ID"
	optionPrefix    = "CLAUDE_PLUGIN_OPTION_"
	disabled        = "MEMORY_DISABLED"
)

// exported are the variables of ours that the session-start hook exports to a session's shell.
var exported = []string{"MEMORY_SESSION_ID", "MEMORY_PROJECT_KEY", "MEMORY_PROJECT_DIR"}

// findsHome are those by which the home of the memory is found. Whoever names another home in a command means that one,
// and that home's settings hold there.
var findsHome = []string{"MEMORY_HOME", "CLAUDE_CONFIG_DIR", "HOME", "USERPROFILE", "XDG_RUNTIME_DIR"}

// isUsers reports whether only the user may give a variable. All others belong to the session.
func isUsers(name string) bool {
	return !slices.Contains(exported, name) && !config.ProjectMayGive(name) &&
		(Inherited(name) || strings.HasPrefix(name, optionPrefix)) || name == disabled
}

// isOurs reports whether such a variable is a setting of ours, or the answer to the client's question.
func isOurs(name string) bool {
	return strings.HasPrefix(name, "MEMORY_") && name != disabled || strings.HasPrefix(name, "SURREAL_") ||
		name == optionPrefix+"DISTILL"
}

// Inherited reports whether a program of ours hands a variable to a resident one. A hook has its client's whole
// environment, API keys included, which a resident process must not have.
func Inherited(name string) bool {
	switch name {
	case "PATH", "HOME", "USERPROFILE", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT",
		"CLAUDE_CONFIG_DIR", "XDG_RUNTIME_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS":
		return true
	}
	for _, prefix := range []string{"MEMORY_", "SURREAL_", "LC_", "npm_config_", "NPM_CONFIG_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// table makes a table of NAME=value pairs.
func table(pairs []string) map[string]string {
	made := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		if name, value, found := strings.Cut(pair, "="); found {
			made[name] = value
		}
	}
	return made
}
