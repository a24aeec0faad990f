package describe

import "strings"

// Prompt is what is kept of a prompt: nothing if it is wholly private, or if no
// user said it, or not about the work.
func Prompt(prompt string) string {
	prompt = Text(prompt)
	if isMachineText(prompt) || isOwnCommand(prompt) {
		return ""
	}
	return prompt
}

// isMachineText tells what the client submits by itself when background work
// ends: no user said it.
func isMachineText(prompt string) bool {
	return strings.HasPrefix(prompt, "<task-notification>")
}

// isOwnCommand tells a slash command of this plugin, which is not about the work.
func isOwnCommand(prompt string) bool {
	return strings.HasPrefix(prompt, "/surrealdb-memory:")
}
