package describe

import "strings"

// Prompt is the part of a prompt to keep: nothing if it is wholly private, was not typed
// by a user, or is not about the work.
func Prompt(prompt string) string {
	prompt = Text(prompt)
	if isMachineText(prompt) || isOwnCommand(prompt) {
		return ""
	}
	return prompt
}

// isMachineText tells whether the client submitted the text by itself, when background
// work ended.
func isMachineText(prompt string) bool {
	return strings.HasPrefix(prompt, "<task-notification>")
}

// isOwnCommand tells whether the prompt is a slash command of this plugin, which is not
// about the work.
func isOwnCommand(prompt string) bool {
	return strings.HasPrefix(prompt, "/surrealdb-memory:")
}
