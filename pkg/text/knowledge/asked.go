package knowledge

import (
	"iter"
	"strings"
)

// Directives returns the texts that a prompt asks to keep: one for each typed line that begins with a marker, in upper
// or lower case, and one for each item of the list below it or below a heading ("From now on:"). It ignores a line of
// lastWords, the assistant's text before the prompt, because the user pasted it.
func Directives(prompt, lastWords string) []Directive {
	typed, entered := typedLines(prompt)
	text := strings.Join(typed[:entered], "")
	var found []Directive
	for _, d := range asked(text[:documentFrom(text)], lastWords) {
		if last := len(found) - 1; last >= 0 && d.before != "" && found[last].Text == d.before { // "Remember: in Go:" above a list
			found = found[:last]
		}
		if d.Text != "" {
			found = append(found, d)
		}
	}
	return found
}

// asked yields each line of a text with what it asks to keep, if anything.
func asked(text, lastWords string) iter.Seq2[string, Directive] {
	return func(yield func(string, Directive) bool) {
		var list Directive // the request above the items
		isBare := false    // the request has no text of its own, and its items may follow a blank line
		for line := range strings.Lines(text) {
			bare := strings.TrimSpace(line)
			item, isItem := withoutBullet(bare)
			isCopied := bare != "" && strings.Contains(lastWords, bare)
			d, _ := directiveOf(line)
			if d.Kind == "" && isItem && list.Kind != "" && item != "" {
				d = list
				d.Text = strings.TrimSpace(list.before + " " + strings.TrimPrefix(item, "[ ] "))
			} else if isCopied {
				d = Directive{}
			}
			switch {
			case isItem, bare == "" && isBare:
			case isCopied:
				list = Directive{}
			default:
				list, isBare = listBelow(bare, d)
			}
			if !yield(line, d) {
				return
			}
		}
	}
}

// WithoutPaste returns a prompt without pasted text and without its directives, which would be shown twice. If
// everything is pasted it returns the whole prompt.
func WithoutPaste(prompt string) string {
	typed, _ := typedLines(prompt)
	text := strings.TrimSpace(withoutDirectives(typed))
	if text == "" && len(Directives(prompt, "")) == 0 {
		return prompt
	}
	return text
}

// TypedText returns the typed part of a prompt before any part that somebody else wrote, without its directives,
// which are memories of their own.
func TypedText(prompt string) string {
	typed, entered := typedLines(prompt)
	return withoutDirectives(typed[:entered])
}

// withoutDirectives returns the lines that ask to keep nothing, without a request that stands alone above a list.
func withoutDirectives(typed []string) string {
	var rest []string
	for line, d := range asked(strings.Join(typed, ""), "") {
		last := len(rest) - 1
		if d.Text == "" {
			rest = append(rest, line)
		} else if last >= 0 {
			if _, isBare := listBelow(strings.TrimSpace(rest[last]), Directive{}); isBare {
				rest = rest[:last]
			}
		}
	}
	return strings.Join(rest, "")
}
