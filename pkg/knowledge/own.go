package knowledge

import "strings"

// Written returns the sentences of a prompt that the user wrote: no paste, no quotation, and nothing of the client, of
// a tool or of a plan.
func Written(prompt string) string {
	text, isTyped := Typed(prompt)
	if !isTyped || AcceptedPlan(prompt) != "" {
		return ""
	}
	var own []string
	for _, s := range ownSentences(text, Context{}) {
		if !s.quoted {
			own = append(own, s.Text)
		}
	}
	return strings.Join(own, " ")
}
