// Package recall ranks the memories of a project in one index: facts, memories that people asked to keep, and records
// of activity. It ranks by words and cues, and looks up files, commands and errors exactly. Its gate decides whether
// a prompt gets any memory. The package is pure: it reads neither a store nor a clock.
package recall

import (
	"math"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// Query is a question that somebody asks. Without Text and Files it finds nothing.
type Query struct {
	Text  string
	Files []string      // files that the question is about, beside those in Text
	Kinds []memory.Kind // kinds of the hits; empty for all
	Limit int           // 0 means DefaultLimit
}

// DefaultLimit is the number of hits if a query sets no limit.
const DefaultLimit = 10

// SynonymShare is the Share of a memory that has only synonyms of the question's topic words.
const SynonymShare = 0.01

// asked is a question or a prompt, split into terms.
type asked struct {
	terms   []term // terms in the order of the text
	weights map[string]float64
	norm    float64
	asks    bool // whether the text is a question
}

type term struct {
	text   string
	weight float64
	// evidence is how strongly the term shows the subject of the text: 1 for a word that names it, 0 for a word that
	// only phrases the text. The words of an identifier share 1.
	evidence float64
	isWord   bool    // false for an identifier that is kept whole
	times    float64 // occurrences in the text

	in  posting // in and idf are set by Index.ranking
	idf float64 // inverse document frequency
}

// maxQuery is the maximum number of bytes of a question or a prompt that are read.
const maxQuery = 8 << 10

// splitText splits a text into terms. The words of a path or identifier occur together, so they share the weight of
// one word. The path or identifier itself is a further term. The words of a file's name each have full weight,
// because cues name a file without its folders.
func splitText(text string) asked {
	q, times := asked{weights: map[string]float64{}, asks: endsInQuestion(text)}, map[string]float64{}
	for _, t := range tokenize(memory.Cut(text, maxQuery)) {
		if q.weights[t.Term] == 0 {
			one := term{text: t.Term, isWord: !t.Whole}
			if t.Whole || !english.FramesQuestion(t.Term) && len(t.Term) > 1 {
				one.evidence = t.Share
			}
			q.terms = append(q.terms, one)
		}
		weight := 1.0
		if !t.OfName {
			weight = 1 / float64(t.Words)
		}
		q.weights[t.Term] = max(q.weights[t.Term], weight)
		times[t.Term]++
	}
	for i := range q.terms {
		t := &q.terms[i]
		t.weight, t.times = q.weights[t.text], times[t.text]
	}
	q.norm = 1 + math.Log1p(float64(len(q.terms)))
	return q
}

// splitQuery splits a question into terms. It raises the weight of words that the question repeats, as a pasted issue
// does with its subject, and lowers the weight of words that only phrase the question.
func splitQuery(query Query, w *Weights) asked {
	text := memory.Cut(query.Text, maxQuery)
	q := splitText(strings.Join(append([]string{text}, query.Files...), "\n"))
	for i := range q.terms {
		t := &q.terms[i]
		if t.weight *= (w.K3 + 1) * t.times / (w.K3 + t.times); t.evidence == 0 {
			t.weight *= w.QuestionWord
		}
	}
	return q
}

// longestQuestion is the maximum number of bytes of a text that counts as a question because of its last sentence.
const longestQuestion = 300

// endsInQuestion reports whether a text is a question, or short and ends with one: "I saved it. Will it be based on main?"
func endsInQuestion(text string) bool {
	text = strings.TrimSpace(text)
	if isQuestion(text) || len(text) > longestQuestion {
		return isQuestion(text)
	}
	sentences := language.Sentences(text[strings.LastIndexAny(text, ":\n")+1:])
	return len(sentences) > 0 && isQuestion(sentences[len(sentences)-1])
}

// needsNothing reports whether no memory can help with a prompt: a bare command, or a reply to what the model still sees.
func needsNothing(prompt string) bool {
	text := strings.TrimSpace(prompt[:min(len(prompt), maxQuery)])
	return isBareCommand(text) || isReply(text)
}

// isBareCommand reports whether a text is a slash command without a request, such as "/review --pr 12".
func isBareCommand(text string) bool {
	fields := strings.Fields(text)
	if len(fields) == 0 || !strings.HasPrefix(fields[0], "/") || strings.Contains(fields[0][1:], "/") {
		return false
	}
	for _, field := range fields[1:] {
		if !strings.HasPrefix(field, "-") && strings.IndexFunc(field, unicode.IsLetter) >= 0 {
			return false
		}
	}
	return true
}

// isQuestion reports whether a text asks for an answer: "why did we ...?", but not "can you add ...?". "Are there
// ...?" and "are we ...?" do not count, because they ask about the present, which the code shows.
func isQuestion(text string) bool {
	text = strings.TrimRight(strings.TrimSpace(text), " )\"'")
	words := language.Spoken.List(text[:min(len(text), 100)])
	if len(words) < 2 || !strings.HasSuffix(text, "?") || words[1] == "you" || words[0] == "are" && (words[1] == "there" || words[1] == "we") {
		return false
	}
	if prepositions[words[0]] && (words[1] == "which" || words[1] == "what" || words[1] == "whom" || words[1] == "whose") {
		return true
	}
	return inquiring[strings.TrimSuffix(words[0], "'s")]
}

// isReply reports whether a text replies to the last message.
func isReply(text string) bool {
	words := language.Spoken.List(text[:min(len(text), 60)])
	if len(words) < 2 || strings.HasPrefix(strings.ToLower(text), words[0]+"\n") { // a single word on the first line is a heading
		return false
	}
	return replying[words[0]]
}

var (
	prepositions = english.List("prepositions")
	inquiring    = english.List("inquiring")
	assenting    = language.Set(language.Yes + language.Praise)
	replying     = english.List("replying")
)

// assents reports whether a prompt agrees with the last message: "yes, and commit it".
func assents(text string) bool {
	words := language.Spoken.List(text[:min(len(text), 60)])
	return len(words) > 0 && assenting[words[0]]
}
