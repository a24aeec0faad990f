package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// meanings are the phrases that show how a sentence is meant. The weight is the share of
// the salience that remains.
var meanings = inOtherLanguages([]rule{
	{momentary, "", 0.4, []string{
		"this time", "just this once", "only once for|now", "in|for this change|commit|pr|session|task|step|turn|round|patch|ticket|branch|one",
		"for the moment", "for the time being", "until i say|tell|have|had|ask", "before i|you|we commit|push|merge this|it|that", "finish this|it|that today", "in the next * minutes|hours",
		"just|only tell|show me|us", ", just|only explain|describe|answer", "^just|only explain|describe|answer|list|tell|show", "^dont worry", "^please dont worry", "write any code", "change any code", "do anything until", "do anything else", "anything yet",
		"^make sure it|this|that|everything compiles|works|builds|passes|runs", "should|must continue tomorrow|with", "we should now", "step 1|2|3|4|5|6|7|8|9|one|two|three",
		"lets use|take|do|try the first|second|third|last|other|former|latter|time", "lets use|take|do|try your|that|this|it", "lets go with that|this|it|option|your", "lets go with the first|second|third|last|other|former|latter", "lets keep an eye", "lets drop|remove|skip this|that line|one|part|word|block|function|test|paragraph",
	}},
	{expectation, "", 0.4, []string{
		"should now", "should * now", "you|i should see", "you|i should be able", "should be easy|quick|simple|straightforward", "this|that|it should do|help|suffice", "always wanted",
	}},
	{supposed, "", 0.4, []string{
		"^suppose", "^supposing", "^imagine", "^assuming", "^say we|i|you|they", "^what if", "if we|i|it|they|there used|had|were|was|did|switched|dropped|moved|always|never|just",
		"nice if we|it|i|they|you", "in an ideal world", "^as a * i want|can|need", "one option", "another option", "one idea", "another idea", "an alternative",
	}},
	{tentative, memory.KindPreference, 1, []string{
		"maybe", "perhaps", "i wonder", "im wondering", "i was wondering", "not sure if|whether", "im not sure", "i am not sure", "no idea if|whether", "we might", "thinking about", "was thinking", "were thinking",
	}},
	{embedded, "", 0.5, []string{
		"tell|show|explain|remind me|us why|how|what|which|whether|where|who|when|if", "explain why|how|what|which|where|when", "explain to me", "find out why|how|what|which|whether|where|who|when|if",
		"like|want|need to know|understand why|how|what|which|whether|where|who|when|if",
	}},
	{task, "", 0.8, []string{
		"want|like|need you to " + works, "i|id want|like to " + works, "would like to " + works, "i|we|still|also|now need|have to " + works, "to see the log|logs|output|code|diff|result|results|plan",
	}},
	{pointing, "", 0.8, slices.Concat(
		each([]string{"want", "id like", "would like"}, slices.Concat(
			each([]string{"the ~single", "the ~bare ~single", "the first|second|third|last|other|new|old|left|right ~bare"}, []string{
				"to be|look|say|show|start|end|point|go|have|read", "on|above|below|under|at|left|right|next|gone|back|bigger|smaller|wider",
			}),
			[]string{"this|that|these|those|it", "a new|another", "another", "a|an * for this|that|it|here", "the first|second|third|last|other", "you to remove|delete|revert|undo|rename|move the|this|that|it"},
		)),
		[]string{
			"^dont|not ~act this|that|these|those|it", "^do not ~act this|that|these|those|it", "^dont ~act the first|second|third|last|other|old|new|left|right",
			"the|this|that|it first|second|third|last|other|new|old|left|right ~bare should|must|needs|shows", "should|must|to|is|are|be|look ~visual", "should|must|to|is|be|look a bit|little", "should|must|to|is|be on|at the left|right|top|bottom|end", "that one", "this|that text|title|line|word|button|link|row|column|paragraph|heading|section should|must|needs",
		},
	)},
})

// works are verbs of work that is over once it is done.
const works = "add|build|check|create|explain|find|fix|implement|look|make|refactor|review|test|try|update|write"

var meaningIndex = newIndex(meanings)

// The bits of three meanings.
const (
	isMomentary = 1 << 0
	isSupposed  = 1 << 2
	isPointing  = 1 << 6
)

// asMeant lowers the salience of a sentence that has the words of a rule and is not
// meant as one, and corrects its kind. words are its tokens.
func asMeant(made Statement, text string, words []string) Statement {
	found := meaningsOf(words, made.Rule == ruleStanding || made.Rule == ruleChange)
	for i := range meanings {
		m := &meanings[i]
		if found&(1<<i) == 0 {
			continue
		}
		made.Salience *= m.weight
		if m.kind != "" && (made.Kind == memory.KindConvention || made.Kind == memory.KindDecision) {
			made.Kind = m.kind
		}
	}
	switch {
	case sarcasm.MatchString(text), reported.MatchString(text), inverted(words):
		made.Salience *= 0.4
	case made.Kind == memory.KindConvention && attributed.MatchString(text) && !ownVoice.MatchString(text):
		made.Salience *= 0.75
		made.Kind = memory.KindNote // that somebody says so
	}
	return made
}

// meaningsOf are the bits of the meanings that the words of a sentence have. One of a rule
// that lasts is not for the moment.
func meaningsOf(words []string, lasting bool) uint32 {
	found := meaningIndex.find(words, opening(words))
	if lasting || meaningIndex.find(lastClause(words), 0)&isMomentary == 0 {
		found &^= isMomentary
	}
	if found&isSupposed != 0 && meaningIndex.find(conclusionOf(words), 0)&isSupposed == 0 {
		found &^= isSupposed
	}
	if !lasting && isForNow(words) {
		found |= isMomentary
	}
	if pointsAtEnd(words) {
		found |= isPointing
	}
	if lasting || slices.ContainsFunc(words, func(word string) bool { return universal[word] }) {
		found &^= isPointing
	}
	return found
}

var (
	// sarcasm praises something unwanted.
	sarcasm = regexp.MustCompile(`(?i)^(oh,? (great|wonderful|nice|perfect|brilliant|lovely|sure)\b|yeah,? (right|sure)\b|thanks for (nothing|breaking|deleting|ruining)|of course, why|(great|wonderful|brilliant|lovely|fantastic|perfect|sure), (let'?s just|because|so now)\b)`)
	// reported is the text of a program or a message.
	reported = regexp.MustCompile(`(?i)^((but|and|so|now|ok|hmm|well),? )*((the|this|that|an?|my|our) )?(\w+ )?(errors?|message|logs?|output|warning|linter|compiler|tests?|ci|build|it|console|trace) (says?|said|tells|told|complains|complained|reports|reported|claims|prints|printed|states)\b`)
	// attributed is somebody else's opinion, or a quotation of a text.
	attributed = regexp.MustCompile(`(?i)^((but|and|so|well),? )*((the|this|that|my|our|an?|some) )?([\w'-]+ ){1,2}(says?|said|thinks?|claims?|claimed|suggests?|suggested|recommends?|recommended|wrote|writes|insists?|tells me|told me)\b|^according to\b`)
	// ownVoice is the speaker's own saying: "I said that we never ...".
	ownVoice = regexp.MustCompile(`(?i)\b(i|we|as|i'd|i'll|i've) (always |just |already )?(say|said|think|suggest|suggested|wrote|recommend|claim|insist)\b`)
)

// neverMind has the words of a rule and means none.
var neverMind = regexp.MustCompile(`(?i)\bnever ?mind\b`)

// lastClause is the last clause that the speaker begins with "I" or "we": of "review this
// PR and I think we should ..." the part after "and".
func lastClause(words []string) []string {
	for i := len(words) - 2; i > 0; i-- {
		if (words[i] == "and" || words[i] == "but") && (words[i+1] == "i" || words[i+1] == "we") {
			return words[i+1:]
		}
	}
	return words
}

// conclusionOf is the conclusion within a sentence: of "if it were up to me we would never
// ..., but the publisher wants it, so paths have to ..." the part after the last "so" or
// "but".
func conclusionOf(words []string) []string {
	for i := len(words) - 1; i > 0; i-- {
		if (words[i] == "so" || words[i] == "but") && words[i-1] == "," && len(words)-i > minWords {
			return words[i+1:]
		}
	}
	return words
}

// isForNow says whether words forbid something for now: "don't commit yet".
func isForNow(words []string) bool {
	start := opening(words)
	if start >= len(words) || !prohibiting[words[start]] {
		return false
	}
	for i, word := range words {
		if (word == "yet" || word == "now" || word == "today") && (i+1 == len(words) || words[i+1] == "," || words[i+1] == "!") {
			return true
		}
	}
	return false
}

// pointsAtEnd says whether a wish or a prohibition ends in a word that points: "don't open
// a PR for this".
func pointsAtEnd(words []string) bool {
	start := opening(words)
	if start >= len(words) || !prohibiting[words[start]] && !wishes.in(words, start) {
		return false
	}
	for i := len(words) - 1; i > start; i-- {
		if isPunctuation(words[i]) {
			continue
		}
		return ending[words[i]]
	}
	return false
}

func isPunctuation(word string) bool { return strings.Contains(splitter.Marks, word) }

var wishes = newPhrases("^i want|like|need", "^id like|prefer|rather", "^i would like|prefer|rather")

var (
	ending    = language.Set(`this that it here there one`)
	universal = language.Set(`all every each any always never ever everywhere anywhere whenever no nothing because otherwise`)
)

var prohibiting = language.Set(`dont do no stop leave skip`)

// inverted says whether words ask, be it without a question mark: "should we always lint".
// "Should we not always lint" rather suggests it.
func inverted(words []string) bool {
	start := opening(words)
	if start < len(words) && (words[start] == "why" || words[start] == "how" || words[start] == "when") {
		start++
	}
	return start+1 < len(words) && inverting[words[start]] && asked[words[start+1]] && !slices.ContainsFunc(words[start+2:], func(word string) bool { return suggesting[word] })
}

var (
	inverting  = language.Set(`should do does did is are was were must shall`)
	asked      = language.Set(`we you i there they`)
	suggesting = language.Set(`not just rather instead maybe`)
)
