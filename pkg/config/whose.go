package config

import "strings"

// ProjectMay says of a setting whether a project may give it, for its own sessions: how much they are told, and how fast,
// and that nothing is captured there. Every other setting is the user's alone, also one that is added later: the store, models,
// embeddings, backups, the agent that serves all projects, and the notice of what was ignored.
func ProjectMay(key string) bool {
	if key == "hooks.session_start.notice" {
		return false
	}
	return key == "disabled" || strings.HasPrefix(key, "hooks.") || strings.HasPrefix(key, "tokens.")
}

// ProjectMayGive is ProjectMay for the environment variable of a setting.
func ProjectMayGive(env string) bool {
	for s := range register {
		if s.env == env {
			return ProjectMay(s.key)
		}
	}
	return false
}
