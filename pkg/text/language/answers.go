package language

import (
	"slices"
	"strings"
)

// Word lists for answers, separated by spaces. They are constants because building a set at start-up would cost
// every hook program.
const (
	// Yes lists the words that agree.
	Yes = " yes yep yeah yup ok okay sure "
	// No lists the words that refuse.
	No = " no nope nah "
	// Praise lists the words that praise or thank at the beginning of a text.
	Praise = " great thanks perfect cool nice "
	// Sighs lists interjections.
	Sighs = " hmm hm oh ah "

	continuations = Yes + No + Praise + "y n continue proceed next stop good lgtm"
)

// IsContinuation reports whether a prompt only asks to continue ("yes", "go on"), so that there is nothing to
// recall for it.
func IsContinuation(prompt string) bool {
	switch text := strings.ToLower(strings.TrimRight(prompt, " .!?")); text {
	case "go on", "go ahead", "do it", "please do", "yes please", "thank you":
		return true
	default:
		return slices.Contains(strings.Fields(continuations), text)
	}
}
