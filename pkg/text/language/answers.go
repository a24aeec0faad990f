package language

import (
	"slices"
	"strings"
)

// Lists of the words with which people answer, which blanks part. They are constants, because a set
// that is made at the start would cost every hook program.
const (
	// Yes are words that agree.
	Yes = " yes yep yeah yup ok okay sure "
	// No are words that refuse.
	No = " no nope nah "
	// Praise are words that praise or thank at the beginning of a text.
	Praise = " great thanks perfect cool nice "
	// Sighs are sounds.
	Sighs = " hmm hm oh ah "

	goOns = Yes + No + Praise + "y n continue proceed next stop good lgtm"
)

// IsGoOn reports whether a prompt only asks to continue ("yes", "go on"): there is
// nothing in it to recall for.
func IsGoOn(prompt string) bool {
	switch text := strings.ToLower(strings.TrimRight(prompt, " .!?")); text {
	case "go on", "go ahead", "do it", "please do", "yes please", "thank you":
		return true
	default:
		return slices.Contains(strings.Fields(goOns), text)
	}
}
