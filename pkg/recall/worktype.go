package recall

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// workType is a type of work for which developers have rules, such as tests, documentation or commits. A rule about
// tests is relevant to each request for tests, whatever its other words.
type workType string

//go:embed works.txt
var worksTable string

// works lists the types, at most 32. A bit set has the bit 1<<i for works[i].
var works []workType

var (
	namesInRules    = language.Phrases{}  // names of the work in rules
	namesInRequests = language.Phrases{}  // names of the work in prompts that ask for it
	requestVerbs    = map[string]uint32{} // verbs that ask for the work if its name follows
)

func init() {
	groups := map[string]string{}
	for _, row := range language.Rows(worksTable) {
		if row.Columns[0][0] == '@' {
			groups[row.Columns[0]] = row.Column(1)
			continue
		}
		bit := uint32(1) << len(works)
		works = append(works, workType(row.Columns[0]))
		namesInRules.Add(bit, append(row.List(2), row.List(4)...))
		namesInRequests.Add(bit, append(row.List(2), row.List(3)...))
		for word := range strings.FieldsSeq(row.Column(1)) {
			for verb := range strings.FieldsSeq(cmp.Or(groups[word], word)) {
				requestVerbs[verb] |= bit
			}
		}
	}
}

// workOf returns the types in a bit set.
func workOf(bits uint32) []workType {
	var found []workType
	for i, work := range works {
		if bits&(1<<i) != 0 {
			found = append(found, work)
		}
	}
	return found
}

// workNamed returns the types of work that a text names. A text that names a type may be a rule for it.
func workNamed(text string) []workType { return workOf(namesInRules.Find(clauseWords(text))) }

const (
	// wordsOfRequest is the number of words of a prompt that are read: the request comes first, material follows.
	wordsOfRequest = 60
	// objectReach is the maximum number of words between a verb and the name of its object.
	objectReach = 8
)

// workAsked returns the types of work that a prompt asks for, or whose rules it asks for: "add a test for it" and
// "how do we name tests?" ask for tests; "are there tests?" does not.
func workAsked(prompt string) []workType {
	words := clauseWords(prompt)
	words = words[:min(len(words), wordsOfRequest)]
	var asked uint32
	for len(words) > 0 {
		end := 0
		for end < len(words) && !strings.Contains(".?!;:\n", words[end]) {
			end++
		}
		switch clause := words[:end]; {
		case len(clause) > 0 && !asking[clause[0]]: // no question about facts
			asked |= askedBy(clause)
		case asksForRule(clause):
			asked |= namesInRules.Find(clause)
		}
		words = words[min(end+1, len(words)):]
	}
	return workOf(asked)
}

// asksForRule reports whether a question asks how something should be done.
func asksForRule(clause []string) bool {
	for i, word := range clause {
		if asksRule[word] || (word == "we" || word == "i") && i > 0 && clause[i-1] == "do" &&
			(i == 1 || clause[i-2] == "how" || clause[i-2] == "what" || clause[i-2] == "where") {
			return true
		}
	}
	return false
}

// askedBy returns the types of work that a clause requests, as a bit set.
func askedBy(clause []string) (asked uint32) {
	for i, word := range clause {
		if isDenied(clause[:i]) {
			continue
		}
		object := clause[i+1 : min(len(clause), i+2+objectReach)]
		if end := slices.IndexFunc(object, func(word string) bool { return joining[word] }); end >= 0 {
			object = object[:end]
		}
		asked |= requestVerbs[word] & namesInRequests.Find(object)
	}
	return asked
}

// denies is the number of words before a verb in which isDenied looks for a negation.
const denies = 3

// isDenied reports whether the words before a verb negate it ("no need to write") or only permit it ("it's fine to run").
func isDenied(before []string) bool {
	if n := len(before); n > 1 && before[n-1] == "to" && permitting[before[n-2]] {
		return true
	}
	for i := len(before) - 1; i >= max(0, len(before)-denies) && !joining[before[i]]; i-- {
		if denying[before[i]] {
			return true
		}
	}
	return false
}

var (
	asking     = english.List("asking")
	asksRule   = english.List("asksForRule")
	permitting = english.List("permitting")
	denying    = english.List("denying")
	joining    = english.List("joining")
)

// clauseWords returns the words of a text in lower case, with the commas and the marks that end a clause. It reads
// "release notes" as "the changelog", because a request for them is not a request for a release.
func clauseWords(said string) []string {
	words := language.Clauses.List(said)
	for i := 1; i < len(words); i++ {
		if words[i-1] == "release" && (words[i] == "notes" || words[i] == "note") {
			words[i-1], words[i] = "the", "changelog"
		}
	}
	return words
}
