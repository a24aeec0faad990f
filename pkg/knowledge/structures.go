package knowledge

import (
	"regexp"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// structure is a rule for sentences that state something by how they are built, and not by
// a word such as "must" or "never": "tests go next to the code they test".
type structure struct {
	rule
	unless []string // phrases with which it is not stated for good
}

// The names of the rules of structure.
const (
	ruleGeneric = "generic" // what goes for all of a kind
	ruleBan     = "ban"     // bans and choices without a verb
)

// structures find statements by how they are built. Their phrases are matched against
// structureTokens.
var structures = []structure{
	{rule{ruleGeneric, memory.KindConvention, 0.45, slices.Concat(
		each([]string{"^~plural", "^~bare ~plural", "^~bare ~bare ~plural", "^all ~plural", "^all ~bare ~plural"}, []string{
			"go next|into|in|under|through|to|on|at|out|behind|below|above|with|first|last", "live|belong|sit in|next|under|at|beside|outside|on|with|inside", "stay|remain in|out|outside|~lasting",
			"have|get|need|carry a|an|their|one|exactly|at|no|only", "start|begin|end with|in", "come from|after|before|first|last", "use ~bare", "never|always ~bare", "dont ~act", "contain|import no|only|nothing", "talk to|only",
			"run without|in|before|after|as|with", "take|return|follow|mirror|inherit|implement|extend|close ~bare|exactly", "match the|their", "log a|to|the", "are|arent ~lasting",
		}),
		each([]string{"^every|each|any ~bare", "^every|each|any ~bare ~bare", "^one ~bare"}, []string{
			"goes|lives|belongs|stays|sits|comes in|into|next|under|at|beside|outside|on|with|inside|out|from|through|to", "has|gets|needs|carries its|a|an|one|exactly|at|no|only|the|their", "starts|begins|ends with|in", "is|isnt ~lasting", "uses|takes|returns|closes|names|lists|follows ~bare|a|an|the|its|one|exactly",
			"never|always|doesnt|only ~act",
		}),
		each([]string{"^a|an ~bare", "^a|an ~bare ~bare"}, []string{"never|always|doesnt|only|cant|cannot|may ~act", "has exactly|one|its|at|no|only", "gets|belongs|lives|goes a|an|its|one|in|to|into|next|under", "starts|begins|ends with"}),
		each([]string{"^the ~bare", "^the ~bare ~bare", "^~bare", "^~bare ~bare"}, []string{
			"never|only|doesnt talks|talk|imports|import|knows|know|touches|touch|depends|depend|calls|call|reads|read|writes|write|accesses|access", "talks|imports|depends only|to|on", "knows nothing|only",
		}),
		each([]string{"^~bare", "^~bare ~bare"}, []string{
			"stays|lives|belongs|goes in|out|outside|into|to|next|under|through|untouched|with|on|beside|inside", "is always|never", "isnt ~lasting", "comes from|through",
		}),
		each([]string{"^one ~bare", "^exactly one ~bare", "^at most one ~bare"}, []string{"per ~bare", "~bare per ~bare"}),
		[]string{"we put|name|place|group|wrap|log|throw|validate|deploy|release|tag|document|follow|ship|prefix|review|treat|generate|pin|version|format|lint|squash|rebase|sign|mock|expose|inject|seed|require|prefer|enforce|target ~bare|the|a|an|all|every|each|our|on|with|from|in|by"},
	)}, atHand},
	{rule{ruleBan, memory.KindConvention, 0.45, slices.Concat(
		[]string{"^no ~kind", "^no more than ~number|one|two|three"},
		each([]string{"^~bare", "^~bare ~bare", "^~number ~plural", "^~bare ~bare in|for ~bare"}, []string{", not|never|no ~kind", "over ~kind", "instead of ~kind", "rather than ~kind"}),
		[]string{"^~plural not ~plural", "^~bare not ~plural", "^~bare , not ~bare"},
	)}, slices.Concat(atHand, []string{"^the", "one", "the log|logs|console|output|diff|browser|ui|page|table", "were|was|is|are|found|run|ran|happened|shown|printed", "so far", "on|in|for this|that|it", "here", "for yesterday"})},
}

// atHand are phrases of sentences about the work at hand.
var atHand = []string{
	"now", "again", "still", "today", "yesterday", "tomorrow", "yet", "currently", "moment", "this time", "right away", "twice", "i", "ive", "im", "my", "me", "you", "your", "?",
}

// structureRules are the rules of the structures.
func structureRules() []rule {
	var rules []rule
	for _, s := range structures {
		rules = append(rules, s.rule)
	}
	return rules
}

var structureIndex, unlessIndex = func() (index, index) {
	rules, unless := structureRules(), structureRules()
	for i := range unless {
		unless[i].phrases = structures[i].unless
	}
	return newIndex(rules), newIndex(unless)
}()

// structuresOf is the set of structures of a sentence.
func structuresOf(text string) uint32 {
	words := structureTokens(text)
	start := opening(words)
	found := structureIndex.find(words, start)
	if found == 0 {
		return 0
	}
	return found &^ unlessIndex.find(words, start)
}

// each is every predicate after every subject.
func each(subjects, predicates []string) []string {
	made := make([]string, 0, len(subjects)*len(predicates))
	for _, subject := range subjects {
		for _, predicate := range predicates {
			made = append(made, subject+" "+predicate)
		}
	}
	return made
}

// aName stands for a path, a command or an identifier among the tokens of a sentence. It
// is a letter that nobody types.
const aName = "ǀ"

var names = regexp.MustCompile("`[^`]+`|https?://\\S+|--[a-z][\\w-]+|@?[\\w.~-]*/[\\w./*-]+|\\w+(?:[._]\\w+)+|\\b[a-z]+[A-Z]\\w*|\\b[A-Z]{2,}_\\w+")

// structureTokens are the tokens of a sentence in which each name is one.
func structureTokens(text string) []string {
	return tokens(names.ReplaceAllString(text, " "+aName+" "))
}
