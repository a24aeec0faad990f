package config

import "strings"

// ProjectMay reports whether a project may give a setting for its own sessions: how much is injected, and how fast, and
// that nothing is captured there. Every other setting, including future ones, is the user's alone: the store, models,
// backups, the agent that serves all projects, and the notice about ignored settings.
func ProjectMay(key string) bool {
	if key == "hooks.notices" {
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
