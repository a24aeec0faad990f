// Package knowledge finds what is worth keeping of a session without a model: lines that a prompt asks to keep, sentences with a word for something that lasts
// or has changed, and failures that were fixed. It is pure, each finding is a verbatim part of its input, and it compares nothing with stored memories.
package knowledge

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// opening lists the pronouns that, as the first word of a sentence, refer to the sentence before; within lists those that do so among its first words.
var opening, within = language.Set(column(pronounsText, 1, " ")), language.Set(column(pronounsText, 2, " "))

// LastingStatements returns the sentences of a prompt that the user typed and that have a word for something that lasts or has changed, verbatim and in order.
// A sentence that begins with a pronoun comes with the previous one. A sentence that is too short to be understood ("db1 is gone."), or that the next one
// limits ("Except on CI."), comes with the next one. An item of a list comes with the line above the list if that line ends with a colon. LastingStatements
// leaves out questions, pasted text, plans, quotations, and the words of others and of lastWords, the assistant's text before the prompt.
func LastingStatements(prompt, lastWords string) []string {
	text := TypedText(prompt)
	var found []string
	before, line, isOpen, isKept := "", -1, false, false // isKept: before is the end of found's last text
	others := lastWords
	for _, quoted := range quotation.FindAllString(text, -1) {
		if quoted != strings.TrimSpace(text) { // a prompt that is wholly in quotation marks is the user's own
			others += "\n" + quoted
		}
	}
	for _, s := range ownSentences(text, others, indented.MatchString(hanging.ReplaceAllString(prompt, ""))) {
		one, both := s.Text, before+" "+s.Text
		if !strings.Contains(text, both) { // languages such as Chinese have no space between sentences
			both = before + s.Text
		}
		isNext := s.Line == line && strings.Contains(text, both)
		follows := isNext && len(before) <= maxReferent
		hasWord, isShort := lasting(one)
		completes := isOpen && follows
		isKept = isKept && isNext && limiting.MatchString(one) && isStatement(one)
		if isKept {
			found[len(found)-1] += both[len(before):]
		} else if isKept = (completes || hasWord && !isShort) && isStatement(one) && len(found) < maxSaid; isKept {
			if completes || follows && refersBack(one) {
				one = both
			}
			found = append(found, strings.TrimSpace(s.Heading+" "+one))
		}
		before, line, isOpen = s.Text, s.Line, hasWord && isShort && isStatement(s.Text)
	}
	return found
}

// indented matches an indented line that is not an item of a list. Hardly anybody types one, but programs print them.
var indented = regexp.MustCompile(`(?m)^(?:  |\t)\s*[^\s\d*•-]`)

// hanging matches an item with indented lines below it, as people wrap a long item.
var hanging = regexp.MustCompile(`(?m)^(?:[*•-]|\d+[.)]) .*(?:\n(?:  |\t).*)+`)

func refersBack(text string) bool {
	words := tokens(text)
	return opening[words[0]] || slices.ContainsFunc(words[:min(firstWords, len(words))], func(word string) bool { return within[word] })
}

// Sentences returns the sentences that the user typed in a prompt, judged by form alone, without directives.
func Sentences(prompt string) (all []string) {
	for line := range strings.Lines(TypedText(prompt)) {
		text, _ := withoutBullet(strings.TrimSpace(line))
		all = append(all, language.Sentences(text)...)
	}
	return all
}

// Gist shortens an assistant's last words: it drops code and tables, and cuts sentences so that more of them fit.
func Gist(lastWords string) string {
	const maxGist, maxPart = 500, 160 // bytes
	var kept []string
	size := 0
	for _, s := range sentences(lastWords, true) {
		if len(tokens(s.Text)) < minWords {
			continue
		}
		text := memory.CutWords(s.Text, maxPart)
		if size += len(text) + 1; size > maxGist && len(kept) > 0 {
			break
		}
		kept = append(kept, text)
	}
	return memory.OneLine(strings.Join(kept, " "))
}

// IsDecision reports whether an answer in a dialog of the client says more than "go on".
func IsDecision(answer string) bool {
	return !language.IsContinuation(answer) && slices.ContainsFunc(tokens(answer), func(word string) bool { return len(word) > 1 })
}

// Written returns the sentences that the user wrote in a prompt, without what was pasted or quoted or is somebody else's.
func Written(prompt string) string {
	var all []string
	for _, s := range writtenSentences(prompt) {
		if !handed.MatchString(s.Text) {
			all = append(all, withoutQuotations(s.Text))
		}
	}
	return strings.Join(all, " ")
}

func writtenSentences(prompt string) []sentence {
	return ownSentences(strings.Join(typedLines(prompt), ""), "", false)
}

// States reports whether a passage is a text that the user asked to keep in a prompt, or consists of whole sentences in a row that the user wrote in the prompt (see Written). Case and
// spacing do not matter. Questions, sentences all in quotation marks, and those that hand over a text do not count. A sentence below a line that ends with a colon counts only together with
// this line: without its context a sentence can mean the opposite.
func States(prompt, passage string) bool {
	passage = plainQuote(passage)
	if len(passage) < leastQuote {
		return false
	}
	if slices.ContainsFunc(Directives(prompt, ""), func(d Directive) bool { return plainQuote(d.Text) == passage }) {
		return true
	}
	all := writtenSentences(prompt)
	for i, first := range all {
		said := first.Heading
		if isAnnounced := said == "" && i > 0 && endsInColon(all[i-1].Text); isAnnounced || !isSaid(said) {
			continue
		}
		for ; i < len(all) && isSaid(all[i].Text) && len(said) < len(passage); i++ {
			if said += " " + all[i].Text; plainQuote(said) == passage {
				return !quoted.MatchString(said)
			}
		}
	}
	return false
}

// Quotes reports whether a text contains a passage, in any case and spacing.
func Quotes(text, passage string) bool {
	passage = plainQuote(passage)
	return len(passage) >= leastQuote && strings.Contains(strings.ToLower(memory.OneLine(text)), passage)
}

// Asks reports whether a passage of a text is a question or stands in one.
func Asks(text, passage string) bool {
	return slices.ContainsFunc(language.Sentences(text), func(one string) bool {
		return Quotes(one, passage) && asking.MatchString(strings.TrimRight(one, closing))
	})
}

// plainQuote returns a quote in lower case and single spaces, without the marks at its ends.
func plainQuote(text string) string {
	return strings.Trim(strings.ToLower(memory.OneLine(text)), "\"'“”‘’.!*_() ")
}

// Agrees reports whether a text has all numbers of a passage, and is negated exactly if the passage is.
func Agrees(text, passage string) bool {
	for _, word := range strings.Fields(passage) {
		word = strings.Trim(word, "\"'`“”‘’.,;:!?()")
		if strings.ContainsFunc(word, unicode.IsDigit) && !strings.Contains(text, word) {
			return false
		}
	}
	return english.CoreOf(text).Negated == english.CoreOf(passage).Negated
}

// SharesWord reports whether a text and a passage share a word that is not a stop word.
func SharesWord(text, passage string) bool {
	return english.CoreOf(passage).Shared(english.CoreOf(text)) > 0
}

// MayCorrect reports whether a text may correct an older one; see english.Core.ToShare.
func MayCorrect(text, older string) bool {
	return english.CoreOf(older).MayBeCorrectedBy(english.CoreOf(text))
}

// Directives returns the texts that a prompt asks to keep: one for each typed line that begins with a marker, in upper
// or lower case, and one for each item of the list below it or below a heading ("From now on:"). It ignores a line that also stands in
// lastWords, the assistant's text before the prompt, because the user pasted it.
func Directives(prompt, lastWords string) []Directive {
	text := strings.Join(typedLines(prompt), "")
	var found []Directive
	for _, d := range asked(text[:documentFrom(text, len(text))], lastWords) {
		if last := len(found) - 1; last >= 0 && d.before != "" && found[last].Text == d.before { // "Remember: in Go:" above a list
			found = found[:last]
		}
		if d.Text != "" {
			found = append(found, d)
		}
	}
	return found
}

// NotKept returns the first line of a prompt that asks to remember something that is not among found, its directives, because it looks pasted or quoted; or "".
func NotKept(prompt string, found []Directive) string {
	text, _ := Typed(prompt)
	kept := strings.Join(memory.Each(found, func(d Directive) string { return d.Text }), "\n")
	above := "" // a request that stands alone
	for line := range strings.Lines(invisible(text)) {
		for _, part := range apart(strings.TrimSpace(line)) {
			part = strings.TrimSpace(part)
			item, _ := withoutBullet(part)
			d, _ := directiveOf(part, false)
			switch {
			case item == "":
				continue
			case above != "" && !strings.Contains(kept, item):
				return above
			case d.isToRemember && !strings.Contains(kept, d.Text):
				return part
			}
			above = ""
			if alone, _ := directiveOf(part+" item", false); alone.isToRemember && alone.Text == "item" {
				above = part
			}
		}
	}
	return above
}

// asked yields each line of a text with what it asks to keep, if anything.
func asked(text, lastWords string) iter.Seq2[string, Directive] {
	return func(yield func(string, Directive) bool) {
		var list Directive // the request above the items
		isBare := false    // the request has no text of its own, and its items may follow a blank line
		waits := false     // the text of the request may be the next line
		for line := range strings.Lines(text) {
			bare := strings.TrimSpace(line)
			item, isItem := withoutBullet(bare)
			isCopied := bare != "" && strings.Contains(lastWords, bare)
			d, _ := directiveOf(line, false)
			if d.Kind == "" && isItem && list.Kind != "" && item != "" {
				d = list
				d.Text = strings.TrimSpace(list.before + " " + strings.TrimPrefix(item, "[ ] "))
			} else if isCopied {
				d = Directive{}
			}
			switch {
			case isItem:
				waits = false
			case bare == "" && isBare:
			case isCopied:
				list, waits = Directive{}, false
			case d.Kind == "" && waits: // "Remember:" stands alone above
				d, waits, list, isBare = list, false, Directive{}, false
				d.Text = strings.TrimSpace(d.before + " " + bare)
			default:
				list, isBare = listBelow(bare, d)
				if waits = isBare; onlyEverywhere.MatchString(d.Text) {
					d.Text = ""
				}
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
	text := strings.TrimSpace(withoutDirectives(typedLines(prompt)))
	if text == "" && len(Directives(prompt, "")) == 0 {
		return speaker.WithoutMarks(prompt)
	}
	return text
}

// TypedText returns the typed part of a prompt without its directives.
func TypedText(prompt string) string { return withoutDirectives(typedLines(prompt)) }

// withoutDirectives returns the lines that ask to keep nothing, without a line that only announces a list of requests.
func withoutDirectives(typed []string) string {
	var rest []string
	for line, d := range asked(strings.Join(typed, ""), "") {
		if d.Text == "" {
			rest = append(rest, line)
			continue
		}
		last := len(rest) - 1
		for last > 0 && strings.TrimSpace(rest[last]) == "" {
			last--
		}
		if last >= 0 {
			if _, isBare := listBelow(strings.TrimSpace(rest[last]), Directive{}); isBare {
				rest = rest[:last]
			}
		}
	}
	return strings.Join(rest, "")
}
