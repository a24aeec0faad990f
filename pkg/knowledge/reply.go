package knowledge

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/prose"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The bounds of a reply and an answer, in words.
const (
	minReply  = 4
	maxReply  = 30
	maxAnswer = 14
)

// replySalience is the salience of both.
const replySalience = 0.42

// inReply judges a prompt of one sentence by the assistant's words before.
func (f Finder) inReply(s prose.Sentence, context Context) (Statement, bool) {
	if statement, keep := f.answer(s, context); keep {
		return statement, true
	}
	return f.reply(s, context)
}

// answer judges a prompt of one sentence by the assistant's question before it.
func (f Finder) answer(s prose.Sentence, context Context) (Statement, bool) {
	question := lastQuestion(context.LastWords)
	if f.Without[RuleAnswer] || question == "" || !isOfTheProject(tokens(question)) || !saysSomething(tokens(s.Text)) {
		return Statement{}, false
	}
	return Statement{Text: withoutOpener(s.Text), Heading: s.Heading, Kind: memory.KindDecision, Answers: question, Salience: replySalience, Rule: RuleAnswer}, true
}

// isOfTheProject says whether a question is about the project rather than about how to go
// on, and names its subject.
func isOfTheProject(question []string) bool {
	if proceeding.in(question, opening(question)) {
		return false
	}
	names := 0
	for _, word := range question {
		if isNameable(word) && !offering[word] && !preferring[word] {
			names++
		}
	}
	return names >= 2
}

// saysSomething says whether an answer is more than yes, no, or the number of an option.
func saysSomething(answer []string) bool {
	if len(answer) > maxAnswer || requesters[answer[opening(answer)%len(answer)]] || slices.Contains(answer, "?") || unlessLasting.find(answer, 0) != 0 {
		return false
	}
	return slices.ContainsFunc(answer, func(word string) bool {
		return isNameable(word) && !offering[word] && !preferring[word] && !goOns[word] && !bare[word] && !passing[word] && !seen[word] || word == aName
	})
}

var (
	// proceeding opens questions about how to go on, or about the screen.
	proceeding = newPhrases(
		"^should i|we now|also|run|fix|commit|push|proceed|continue|start|try|apply|update|wait|move|add|remove|create|open|implement|go|do|look|check|clean|rename", "^should i", "^shall", "^may i", "^can i|you|we", "^could i|you", "^would you", "^do you want me|to", "^want me", "^ready", "^did",
		"^does this|it|that", "^do you see|still|have|know|remember", "^is this|that|there|it|the", "^are you|there", "^how would you like", "^how should i|we proceed", "^what would you", "^what do you see", "^what does the error|log|output", "^what is|was the error|pr|output|log", "^what happened|else|exactly|specifically", "^which file|branch|option|one|pr|step|task|of these", "^anything", "^where do|did you see",
	)
	preferring = language.Set(`prefer preference approach approaches option options think thoughts way choice suggestion idea ideas path direction focus`)
)

// reply judges a prompt of one sentence by its place alone: a statement in the middle of a
// conversation corrects or completes the words before it, unless it tells how something
// looks or goes at the moment.
func (f Finder) reply(s prose.Sentence, context Context) (Statement, bool) {
	words := tokens(s.Text)
	if f.Without[RuleReply] || len(words) < minReply || len(words) > maxReply || strings.HasSuffix(s.Text, ":") || !isDeclarative(words) {
		return Statement{}, false
	}
	made := Statement{Text: withoutOpener(s.Text), Heading: s.Heading, Kind: memory.KindCorrection, Salience: replySalience, Rule: RuleReply}
	made.Answers = answered(made, context.LastWords)
	return made, made.Answers != ""
}

// isDeclarative says whether a sentence states something that is so for good.
func isDeclarative(words []string) bool {
	start := opening(words)
	if start+2 >= len(words) {
		return false
	}
	words = words[start:]
	if words[0] == "but" {
		words = words[1:]
	}
	first := words[0]
	stated := articles[first] || first == "some" || isNameable(first) && (isPlural(first) || slices.ContainsFunc(words[1:], func(word string) bool { return finite[word] }))
	if !stated || unlessLasting.find(words, 0) != 0 {
		return false
	}
	return !slices.ContainsFunc(words, func(word string) bool { return passing[word] || failing[word] || seen[word] })
}

var unlessLasting = newIndex([]rule{{"", "", 0, slices.Concat(atHand, ownDoing, []string{
	"was", "were", "had", "error", "errors", "warning", "warnings", "line ~number", "keeps ~bare", "got", "failing", "isnt|arent|doesnt|dont show|shown|showing|working|there|visible|appear",
})}})

// finite are verbs that a sentence without a subject before them would not have.
var finite = language.Set(`is are isnt arent has have hasnt havent can cant cannot may must does doesnt dont comes needs means uses gets goes`)

// seen are the parts of a screen, and the programs that were just run.
var seen = language.Set(`button page screen spinner chart text image icon dialog menu popup tooltip cursor pipeline linter link gap spacing layout font color colour scrollbar modal window tab console terminal log logs output run attempt`)

// Decides says whether the answer to a question that the assistant asked by a tool
// decides something about the project, rather than how to go on.
func Decides(question, answer string) bool {
	asked := lastQuestion(question)
	if asked == "" {
		asked = question
	}
	words, said := tokens(asked), tokens(answer)
	if isOfTheProject(slices.Concat(words, said)) {
		return true
	}
	start := opening(words)
	return start < len(words) && words[start] == "should" && len(said) > 0 && saysSomething(said)
}

// Corrects says whether the words with which the user refused a call name something, and
// are not only a no.
func Corrects(words string) bool {
	all := tokens(words)
	return len(all) > 0 && !isBare(all) && !GoOn(words)
}
