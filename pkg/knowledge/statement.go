package knowledge

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The bounds of a statement.
const (
	minWords      = 4    // fewer are not understandable alone
	minStructured = 3    // unless their structure shows their kind
	maxSentence   = 600  // bytes; longer ones were not typed
	shortRequest  = 7    // words; a shorter request is done once it is carried out
	maxStatement  = 8    // of one prompt, the most salient
	keepFrom      = 0.40 // salience
	longPrompt    = 3000 // bytes; a longer prompt is a document
	maxReferent   = 160  // bytes of the sentence that is kept with the one which refers to it
)

// Statements finds the statements to keep in a prompt, in order.
func (f Finder) Statements(prompt string, context Context) []Statement {
	prompt, typed := Typed(prompt)
	if !typed {
		return nil
	}
	var found []Statement
	before, earlier, line := "", "", -1
	own := ownSentences(prompt, context)
	for _, s := range own {
		if s.quoted {
			before, earlier, line = s.text, "", -1
			continue
		}
		statement, keep := f.statement(s.sentence)
		follows := s.line == line && len(before) <= maxReferent && strings.Contains(prompt, before+" "+s.text)
		corrects := follows && !f.AsWorded && isBareRejection(before) && (keep || isDeclarative(tokens(s.text)))
		if corrects && !keep {
			statement = Statement{Text: withoutOpener(s.text), Heading: s.heading, Salience: replySalience, Rule: RuleReply}
			keep = !f.Without[RuleReply]
		}
		if !keep && len(own) == 1 {
			statement, keep = f.inReply(s.sentence, context)
		}
		if keep {
			statement.Answers = before
			switch {
			case corrects:
				statement.Kind = memory.KindCorrection
				fallthrough
			case follows && refersBack(statement):
				statement.Text, statement.Answers = withoutOpener(before+" "+s.text), earlier
			}
			if before == "" || corrects && earlier == "" {
				statement.Answers = answered(statement, context.LastWords)
			}
			if keep = f.AsWorded || statement.Answers != "" || !isBare(tokens(statement.Text)); keep {
				found = append(found, statement)
			}
		}
		before, earlier, line = s.text, before, s.line
	}
	return best(found, maxStatement)
}

// isBareRejection says whether a sentence only says no, so that the next one says the
// right thing: "nope, wrong file."
func isBareRejection(text string) bool {
	words := tokens(text)
	return len(words) > 0 && isBare(words) && !strings.HasSuffix(text, "?") && rejecting.in(words, 0)
}

var rejecting = newPhrases("^no", "^nope", "^nah", "^not", "^wrong", "^stop", "^that is|was not|wrong", "^thats|it|its not|wrong", "not what|that|this")

// statement judges one sentence.
func (f Finder) statement(s sentence) (Statement, bool) {
	if text, kind, asked := askedFor(s.text); asked && !f.Without[RuleAsked] {
		return Statement{Text: text, Heading: s.heading, Kind: kind, Salience: 1, Rule: RuleAsked}, true
	}
	if made, is := withoutSpaces(s); is && !f.Without[ruleStanding] {
		return made, true
	}
	words := tokens(s.text)
	structured := structuresOf(s.text, words)
	if len(words) < minWords && (structured == 0 || len(words) < minStructured) || len(s.text) > maxSentence || strings.HasSuffix(s.text, ":") { // it announces text that is not part of it
		return Statement{}, false
	}
	judged := tokens(neverMind.ReplaceAllString(quotation.ReplaceAllString(s.text, " "), " "))
	made := f.judge(userRules, wordIndex.find(judged, opening(judged))|structured<<len(wordRules))
	if !f.AsWorded {
		made = asMeant(made, s.text, judged)
	}
	if (made.Rule == RuleCommand || made.Rule == rulePlace) && isOutcome(words[len(words)-1]) {
		return Statement{}, false // how a run went is soon over
	}
	if !f.AsWorded && made.Kind == memory.KindCorrection && isBare(words) {
		return Statement{}, false
	}
	made.Text, made.Heading = withoutOpener(s.text), s.heading
	shape := shapeOf(withoutRequest(s.text, words))
	switch {
	case shape.question && !shape.tail && shape.request:
		made.Salience *= 0.8
	case shape.question && !shape.tail:
		made.Salience *= 0.55
	case shape.request && len(words) < shortRequest:
		made.Salience *= 0.6
	case shape.request:
		made.Salience *= 0.85
	}
	return made, made.Salience >= keepFrom
}

// isBare says whether a correction names nothing: "no no no, that's not what I meant".
func isBare(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !bare[word] && !passable[word] })
}

var bare = setOf(`no nope nah not isnt wasnt doesnt dont didnt wrong right correct true false what how why i you we it its that thats this these those they a an the is was are were be been do does did
	meant mean meaning thought think said say asked ask wanted want work works working stop wait actually really just only at all again still still window tab chat terminal session project
	bad good idea wrong one my your me undo revert told need file files port folder name branch place approach`)

// quotation is quoted text in a sentence: the words of somebody else.
var quotation = regexp.MustCompile(`"[^"]{20,}("|$)|“[^”]{20,}(”|$)`)

// judge applies the rules that agree. The strongest gives kind and name; each further one
// adds to the salience.
func (f Finder) judge(rules []rule, agreeing uint32) Statement {
	doubt, strongest := 1.0, 0.0
	var made Statement
	for i := range rules {
		r := &rules[i]
		if agreeing&(1<<i) == 0 || f.Without[r.name] {
			continue
		}
		doubt *= 1 - r.weight
		if r.weight > strongest {
			strongest, made.Kind, made.Rule = r.weight, r.kind, r.name
		}
	}
	made.Salience = 1 - doubt
	return made
}

// opening is the index of the first word after the openers of a sentence. A word that a
// rule expects at the start is no opener.
func opening(words []string) int {
	start := 0
	for start < len(words) && passable[words[start]] {
		start++
	}
	return start
}

var passable = setOf(`ok okay hmm hm well so and also oh yes yeah yep sure right please sorry now then great thanks cool nice perfect ah um , : ! ?` + otherPassable)

// refersBack says whether a statement begins with a pronoun for something of the sentence
// before: "the rooms overlap. that must never happen"; or names nothing itself: "I told
// you we don't want it". A correction is told with the words that it answers.
func refersBack(s Statement) bool {
	words := tokens(s.Text)
	if s.Kind == memory.KindCorrection || s.Rule == RuleAsked || len(words) < 2 {
		return false
	}
	return referring[words[0]] && referred[words[1]] || isBare(words)
}

var (
	referring = setOf(`that this it they those these thats its`)
	referred  = setOf(`must should shouldnt mustnt has have is are isnt arent was were needs need cant cannot never always only also can wont will belongs would a the not our from how why`)
)

// withoutOpener cuts the words that only tie a sentence to the one before: "ok, so we
// never ..."
func withoutOpener(text string) string {
	rest := openers.ReplaceAllString(text, "")
	if strings.HasPrefix(rest, "that ") || len(strings.Fields(rest)) < minWords { // "so that ..."
		return text
	}
	return rest
}

var openers = regexp.MustCompile(`(?i)^((and|also|so|ok|okay|oh|hmm?|yes|yeah|yep|yup)[,.!:]* +|(well|right|great|thanks|cool|perfect|nice|sure)[,.!:]+ +)+`)

// shape is the form of a sentence besides a statement.
type shape struct {
	question bool // it asks
	tail     bool // it states something and asks for confirmation
	request  bool // it asks for something to be done
}

var (
	askers     = setOf(`what why how when where which who whats wheres hows can could would will do does did is are was were should has have may shall am isnt arent doesnt dont didnt cant couldnt wouldnt shouldnt any must` + otherAskers)
	tailWords  = setOf(`right correct or no yes ok okay true agree`)
	requesters = setOf(`can could would please help let give show explain check look review write add fix run create make update implement change remove rename move revert commit push merge rebase search undo open try do go find list read tell take` + otherRequesters)
)

func shapeOf(text string, words []string) shape {
	var s shape
	start := opening(words)
	if start >= len(words) {
		return s
	}
	first := words[start]
	forbids := first == "do" && start+1 < len(words) && words[start+1] == "not"
	trimmed := strings.TrimRight(text, ` )"'*`)
	asks := strings.HasSuffix(trimmed, "?")
	if asks {
		last := ""
		for i := len(words) - 1; i >= 0 && last == ""; i-- {
			if unicode.IsLetter(rune(words[i][0])) {
				last = words[i]
			}
		}
		s.question = true
		s.tail = !askers[first] || tailWords[last] || first == "why" && start+1 < len(words) && isRhetorical(words[start+1])
	} else if askers[first] && !requesters[first] && !forbids {
		s.question = first != "is" && first != "any" && first != "when" && first != "dont" && first != "were" // "we're"
	}
	sure := first == "make" && start+1 < len(words) && words[start+1] == "sure"
	s.request = requesters[first] && !sure && !forbids && !isSubject(words[start:])
	return s
}

// isSubject says whether words begin with the subject of a sentence and not with a
// request, though their first word is a verb, too: "commit messages must ...".
func isSubject(words []string) bool {
	return len(words) > 3 && isNameable(words[1]) && modal[words[2]]
}

var modal = setOf(`must should shouldnt mustnt are is arent isnt have has need needs can cant may never always`)

// isOutcome says whether a sentence that ends in this word tells how a run went.
func isOutcome(last string) bool {
	switch last {
	case "fails", "failed", "failing", "fail", "hangs", "crashes", "passes", "passed", "passing", "pass", "works", "worked", "again", "now", "green", "red", "broken":
		return true
	}
	return false
}

// isRhetorical says whether a question that begins with "why" and this word asks for
// another way rather than for a reason: "why adding a note and not just ...?"
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
		found = append(found[:weakest], found[weakest+1:]...)
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

// clauseEnds says whether a new clause can begin after a text.
func clauseEnds(text string) bool {
	text = strings.TrimRight(text, " ")
	for _, end := range []string{",", ".", ";", ":", "!", "(", "-", "—", "please", "Please", "and", "also"} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}
