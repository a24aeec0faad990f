package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Statements finds the statements to keep in a prompt, in order.
func (f Finder) Statements(prompt string, context Context) []Statement {
	prompt, typed := Typed(prompt)
	if !typed {
		return nil
	}
	var found []Statement
	before, earlier, line := "", "", -1
	for _, s := range ownSentences(prompt, context) {
		if s.quoted {
			before, earlier, line = s.Text, "", -1
			continue
		}
		follows := s.Line == line && isReferent(before, s.Text, prompt)
		statement, keep, corrects := f.following(s.sentence, before, follows)
		if keep {
			statement.Answers = before
			if corrects || follows && refersBack(statement) {
				statement.Text, statement.Answers = withoutOpener(before+" "+s.Text), earlier
			}
			if before == "" || corrects && earlier == "" {
				statement.Answers = answered(statement, context.LastWords)
			}
			found = append(found, statement)
		}
		before, earlier, line = s.Text, before, s.Line
	}
	if !f.AsWorded {
		found = slices.DeleteFunc(found, isWithoutSubject)
	}
	return best(found, maxStatement)
}

// following is the statement of a sentence. Behind a bare rejection it corrects, in any form.
func (f Finder) following(s sentence, before string, follows bool) (made Statement, keep, corrects bool) {
	made, keep = f.statement(s)
	corrects = follows && !f.AsWorded && isBareRejection(before) && (keep || states(s.Text))
	if corrects && !keep {
		made = Statement{Text: withoutOpener(s.Text), Heading: s.Heading, Salience: replySalience, Rule: RuleReply}
		keep = !f.Without[RuleReply]
	}
	if corrects {
		made.Kind = memory.KindCorrection
	}
	return made, keep, corrects
}

func isWithoutSubject(s Statement) bool { return s.Answers == "" && isPointless(tokens(s.Text)) }

// states reports whether a sentence states something, rather than asks or requests.
func states(text string) bool {
	words := tokens(text)
	form := shapeOf(text, words)
	return len(words) >= minWords && !form.question && !form.request && !strings.HasSuffix(text, ":") &&
		meant.phrases.Find(words, opening(words)) == 0
}

// isReferent reports that a sentence stands right before another one of the prompt, and is
// short enough to be referred to.
func isReferent(before, text, prompt string) bool {
	return len(before) <= maxReferent && strings.Contains(prompt, before+" "+text)
}

// isBareRejection reports whether a sentence is only a "no", so that the next one has the right
// thing: "nope, wrong file."
func isBareRejection(text string) bool {
	words := tokens(text)
	return len(words) > 0 && isBare(withoutTheWrong(words)) && !strings.HasSuffix(text, "?") && rejecting.In(words, 0)
}

// withoutTheWrong are the words of a rejection but for the thing that is wrong, if it ends
// with that: "no, wrong endpoint", "not that module".
func withoutTheWrong(words []string) []string {
	for at, word := range words {
		if word == "wrong" || word == "other" || word == "not" && at+1 < len(words) && bare[words[at+1]] {
			if len(words)-at <= 4 && !slices.Contains(words[at:], ",") {
				return words[:at]
			}
		}
	}
	return words
}

var rejecting = english.Phrases("rejecting")

// statement judges one sentence.
func (f Finder) statement(s sentence) (Statement, bool) {
	if text, kind, asked := askedFor(s.Text); asked && !f.Without[RuleAsked] {
		return Statement{Text: text, Heading: s.Heading, Kind: kind, Salience: 1, Rule: RuleAsked}, true
	}
	if made, is := withoutSpaces(s); is && !f.Without[ruleStanding] {
		return made, true
	}
	words := tokens(s.Text)
	if len(words) < minWords || len(s.Text) > maxSentence || strings.HasSuffix(s.Text, ":") { // it announces text that is not part of it
		return Statement{}, false
	}
	judged := tokens(quotation.ReplaceAllString(s.Text, " "))
	made := f.judge(said, judged)
	if !f.AsWorded {
		made = asMeant(made, judged)
	}
	isOver := made.Rule == ruleCommand && outcomes[words[len(words)-1]] // how a run went
	if isOver || !f.AsWorded && made.Kind == memory.KindCorrection && isBare(withoutTheWrong(words)) {
		return Statement{}, false
	}
	made.Text, made.Heading = withoutOpener(s.Text), s.Heading
	made.Salience *= shapeOf(withoutRequest(s.Text, words)).weight(len(words))
	return made, made.Salience >= keepFrom
}

// weight is how much of its salience a sentence of so many words keeps.
func (s shape) weight(words int) float64 {
	switch isAsked := s.question && !s.tail; {
	case isAsked && s.request:
		return 0.8
	case isAsked:
		return 0.55
	case s.request && words < shortRequest:
		return 0.6
	case s.request:
		return 0.85
	}
	return 1
}

// quotation is quoted text in a sentence: the words of somebody else.
var quotation = regexp.MustCompile(`"[^"]{20,}("|$)|“[^”]{20,}(”|$)`)

// refersBack reports whether a statement begins with a pronoun for something of the sentence before:
// "the rooms overlap. that must never happen"; or names nothing itself: "this is not allowed". A
// correction never does: it is kept with the words that it answers.
func refersBack(s Statement) bool {
	words := tokens(s.Text)
	if s.Kind == memory.KindCorrection || s.Rule == RuleAsked || len(words) < 2 {
		return false
	}
	return referring[words[0]] && referred[words[1]] || isPointless(words)
}

// isPointless reports whether a sentence forbids or requires something that it does not name.
func isPointless(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !bare[word] && !opensOnly[word] && !pointless[word] })
}

var (
	referring = english.List("referring")
	referred  = english.List("referred")
	outcomes  = english.List("outcome")
	pointless = english.List("pointless")
	tails     = english.List("tails")
)

// shape is the form of a sentence besides a statement.
type shape struct {
	question bool // it asks
	tail     bool // it states something and asks for confirmation
	request  bool // it asks for something to be done
}

func shapeOf(text string, words []string) shape {
	var s shape
	start := opening(words)
	if start >= len(words) {
		return s
	}
	first := words[start]
	second := ""
	if start+1 < len(words) {
		second = words[start+1]
	}
	forbids := first == "do" && second == "not"
	trimmed := strings.TrimRight(text, ` )"'*`)
	asks := strings.HasSuffix(trimmed, "?")
	if asks {
		s.question = true
		s.tail = !askers[first] || tails[lastLetters(words)] || first == "why" && isRhetorical(second)
	} else if askers[first] && !requesters[first] && !forbids {
		s.question = !slices.Contains([]string{"is", "any", "when", "dont", "were"}, first) // "we're"
	}
	s.request = requesters[first] && (first != "make" || second != "sure") && !forbids
	return s
}

// isRhetorical reports whether a question that begins with "why" and this word asks for another way
// rather than for a reason: "why adding a note and not just ...?"
func isRhetorical(second string) bool {
	switch second {
	case "not", "cant", "dont", "would":
		return true
	}
	return strings.HasSuffix(second, "ing")
}

// closingRequest is a request after a statement: "..., can you check?"
var closingRequest = regexp.MustCompile(`(?i), *(can|could|would) (you|we)( please)? [^,]{2,40}\?\s*$`)

// withoutRequest cuts the closing request of a sentence, if enough is before it.
func withoutRequest(text string, words []string) (string, []string) {
	at := closingRequest.FindStringIndex(text)
	if at == nil {
		return text, words
	}
	before := tokens(text[:at[0]])
	if len(before) < minWords || requesters[before[opening(before)%len(before)]] {
		return text, words
	}
	return text[:at[0]], before
}

// best keeps the most salient statements, in their original order.
func best(found []Statement, limit int) []Statement {
	for len(found) > limit {
		weakest := 0
		for i := range found {
			if found[i].Salience <= found[weakest].Salience {
				weakest = i
			}
		}
		found = slices.Delete(found, weakest, weakest+1)
	}
	return found
}

// askedFor finds a marker at the start of a sentence or after one of its words, and the
// text that it asks to keep.
func askedFor(text string) (kept string, kind memory.Kind, found bool) {
	for i := 0; i < len(text); i++ {
		if i > 0 && text[i-1] != ' ' && text[i-1] != '(' && text[i-1] != '*' {
			continue
		}
		for _, m := range markers {
			if !m.insideText || len(text)-i <= len(m.word) || !strings.EqualFold(text[i:i+len(m.word)], m.word) {
				continue
			}
			if i > 0 && !strings.Contains(m.word, ":") && !clauseEnds(text[:i]) {
				continue // "do you remember that ..."
			}
			if rest := strings.TrimSpace(text[i+len(m.word):]); rest != "" && !strings.HasSuffix(text, "?") {
				return rest, m.kind, true
			}
		}
	}
	return "", "", false
}

// clauseEnds reports whether a new clause can begin after a text.
func clauseEnds(text string) bool {
	fields := language.Fields(text)
	if len(fields) == 0 {
		return false
	}
	switch last := fields[len(fields)-1]; last.Lower() {
	case "please", "and", "also", "-", "—":
		return true
	default:
		return last.Ends(",.;:!(") || last.Word == "" && last.Before != ""
	}
}

// Statements finds the statements to keep in a prompt, in order.
func Statements(prompt string, context Context) []Statement {
	return Finder{}.Statements(prompt, context)
}
