package speaker

import "strings"

// The marks that Claude Code puts around a paste of four lines or more, or of 800 characters or more. It escapes such marks in the paste.
const pasteBegins, pasteEnds = `<pasted_content id="`, `</pasted_content id="`

// cutPastes returns the pastes of a prompt, with their marks, and the texts around them: around has one more than pastes. A paste without an end
// goes to the end of the prompt.
func cutPastes(prompt string) (around, pastes []string) {
	for {
		before, _, found := strings.Cut(prompt, pasteBegins)
		around = append(around, before)
		if !found {
			return around, pastes
		}
		prompt = prompt[len(before):]
		_, rest, _ := strings.Cut(prompt, pasteEnds)
		_, rest, _ = strings.Cut(rest, ">")
		pastes, prompt = append(pastes, prompt[:len(prompt)-len(rest)]), rest
	}
}

// WithoutPastes returns a prompt without the texts that the client marks as pasted.
func WithoutPastes(prompt string) string {
	around, _ := cutPastes(prompt)
	return strings.Join(around, "")
}

// WithoutMarks returns a prompt with its pasted texts, but without the client's marks around them.
func WithoutMarks(prompt string) string {
	around, pastes := cutPastes(prompt)
	for i, paste := range pastes {
		_, inside, _ := strings.Cut(paste, ">")
		inside, _, _ = strings.Cut(inside, pasteEnds)
		around[i] += inside
	}
	return strings.Join(around, "")
}
