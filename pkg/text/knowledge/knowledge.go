// Package knowledge finds what is worth keeping of a session without a model: lines that a prompt asks to keep,
// sentences with a word for something lasting, and failures that were fixed. It is pure, and each finding is a
// verbatim part of its input. It compares nothing with stored memories, and does not decide how long a finding is
// kept.
package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// lasting are the words for something lasting ("always", "from now on").
var lasting = func() language.Phrases {
	all := language.Phrases{}
	for _, row := range language.Rows(lastingText) {
		all.Add(1, row.List(1))
	}
	return all
}()

// opening and within are the pronouns that refer to the previous sentence: as its first word, and among its first
// words.
var opening, within = func() (opening, within map[string]bool) {
	var open, in strings.Builder
	for _, row := range language.Rows(pronounsText) {
		open.WriteString(row.Column(1) + " ")
		in.WriteString(row.Column(2) + " ")
	}
	return language.Set(open.String()), language.Set(in.String())
}()

// undivided matches the words for something lasting in languages without spaces between words.
var undivided = regexp.MustCompile(`总是|總是|始终|始終|一律|从不|從不|永远|永遠|绝不|絕不|必须|必須|务必|務必|禁止|严禁|从现在起|從現在起|今后|今後|以后都|不再|改用|改成|改為|必ず|常に|決して|絶対に|今後は|항상|절대|반드시|앞으로|더 이상`)

// LastingStatements returns the sentences with a word for something lasting that the user typed in a prompt,
// verbatim and in order. A sentence that begins with a pronoun comes with the previous one. Questions, pasted text,
// plans, quotations, and the words of others and of lastWords, the assistant's text before the prompt, are left out.
func LastingStatements(prompt, lastWords string) []string {
	text := TypedText(prompt)
	var found []string
	before, line := "", -1
	for _, s := range ownSentences(text, lastWords, indented.MatchString(prompt)) {
		if IsLasting(s.Text) && len(found) < maxSaid {
			one := s.Text
			if s.Line == line && len(before) <= maxReferent && refersBack(one) && strings.Contains(text, before+" "+one) {
				one = before + " " + one
			}
			found = append(found, one)
		}
		before, line = s.Text, s.Line
	}
	return found
}

// indented matches an indented line that is no item of a list. Hardly anybody types one, but programs print them.
var indented = regexp.MustCompile(`(?m)^(?:  |\t)\s*[^\s\d*•-]`)

// IsLasting reports whether a sentence has a word for something lasting and is not a question.
func IsLasting(text string) bool {
	text = strings.TrimRight(text, ` *)"'”’`)
	if len(text) > maxSentence || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") || strings.HasSuffix(text, ":") {
		return false
	}
	if undivided.MatchString(text) {
		return true
	}
	words := tokens(quotation.ReplaceAllString(text, " "))
	return len(words) >= minWords && (lasting.In(words) || literal.MatchString(text))
}

// quotation matches quoted text in a sentence, which somebody else wrote.
var quotation = regexp.MustCompile(`"[^"]{20,}("|$)|“[^”]{20,}(”|$)`)

// firstWords is the number of words at the beginning of a sentence among which a pronoun refers to the previous
// sentence.
const firstWords = 5

func refersBack(text string) bool {
	words := tokens(text)
	return opening[words[0]] || slices.ContainsFunc(words[:min(firstWords, len(words))], func(word string) bool { return within[word] })
}

// Sentences returns the sentences that the user typed in a prompt, in order, judged by form alone. Directives are
// left out.
func Sentences(prompt string) []string {
	typed, entered := typedLines(prompt)
	var all []string
	for _, line := range typed[:entered] {
		if _, kept := directiveOf(line); kept { // a directive is a memory of its own
			continue
		}
		text, _ := withoutBullet(strings.TrimSpace(line))
		all = append(all, language.Sentences(text)...)
	}
	return all
}

// Gist shortens the last words of an assistant. It drops code and tables, and cuts each sentence so that more of
// them fit.
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

// IsDecision reports whether an answer in a dialog of the client says more than to continue.
func IsDecision(answer string) bool {
	return !language.IsContinuation(answer) && slices.ContainsFunc(tokens(answer), func(word string) bool { return len(word) > 1 })
}
