// Package recall ranks the memories of a project in one index: facts, memories that people asked
// to keep, and the log. A query is ranked by words and cues; a file, a command and an error are
// looked up as they are. One gate decides whether a prompt is given anything. The package is
// pure: rows come in, hits go out. It refuses to read a store or a clock.
package recall

import (
	"math"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// Query is a question that somebody asks. Without Text and Files it finds nothing.
type Query struct {
	Text    string
	Files   []string      // that the question is about, beside Text
	Kinds   []memory.Kind // only these; all if empty
	Limit   int           // 0 means DefaultLimit
	Explain bool          // fill Hit.Why
}

// DefaultLimit is the number of hits if a query sets no limit.
const DefaultLimit = 10

// Hit is a memory found. The score of a question compares only with hits of the same question;
// the score of a prompt compares with the thresholds of Weights.
type Hit struct {
	Memory memory.Memory
	Score  float64
	Fits   bool   // a prompt, a file or a command would be given it
	Why    string // why it fits or not, or how its score is made
	// Share is how much of a question's topic the memory's own words have, 0 to 1; a rare word counts for more.
	Share float64
}

// SynonymShare is the Share of a memory that has only synonyms of the question's topic words.
const SynonymShare = 0.01

// asked is a text split into terms.
type asked struct {
	terms   []term // in the order of the text
	weights map[string]float64
	norm    float64
	asks    bool // the text is a question
}

type term struct {
	text   string
	weight float64
	// evidence is how strongly the term shows the subject of a text: 1 for a word that names
	// the subject and for an identifier, whose words share the 1; 0 for a word that only
	// phrases the text.
	evidence float64
	isWord   bool // not an identifier kept whole

	in  posting // set by Index.ranking, like idf
	idf float64 // inverse document frequency
}

// maxQuery is how many bytes of a query are read.
const maxQuery = 8 << 10

// ask splits a text into terms. The words of a compound (a path, an identifier) always come
// together, so they share the weight of one word, beside the compound itself. The words of a
// file's name do not: a cue names a file without its folders.
func ask(text string) asked {
	q := asked{weights: map[string]float64{}, asks: asks(text)}
	for _, t := range tokenize(memory.Cut(text, maxQuery)) {
		if q.weights[t.Term] == 0 {
			one := term{text: t.Term, isWord: !t.Whole}
			phrases := english.FramesQuestion(t.Term) || len(t.Term) == 1
			if t.Whole || !phrases {
				one.evidence = t.Share
			}
			q.terms = append(q.terms, one)
		}
		weight := 1.0
		if !t.OfName {
			weight = 1 / float64(t.Words)
		}
		q.weights[t.Term] = max(q.weights[t.Term], weight)
	}
	for i := range q.terms {
		q.terms[i].weight = q.weights[q.terms[i].text]
	}
	q.norm = 1 + math.Log1p(float64(len(q.terms)))
	return q
}

// askAt splits a question into terms. Words that only phrase it count less.
func askAt(query Query, w *Weights) asked {
	text := memory.Cut(query.Text, maxQuery)
	q := ask(strings.Join(append([]string{text}, query.Files...), "\n"))
	for i := range q.terms {
		if t := &q.terms[i]; t.evidence == 0 {
			t.weight *= w.Frame
		}
	}
	return q
}

// longestQuestion is the most bytes of a text that counts as a question because it ends in one.
const longestQuestion = 300

// asks reports whether a text is a question, or is short and ends in one: "I saved it on
// a branch. Will it be based on main?"
func asks(text string) bool {
	text = strings.TrimSpace(text)
	if isQuestion(text) || len(text) > longestQuestion {
		return isQuestion(text)
	}
	sentences := language.Sentences(text[strings.LastIndexAny(text, ":\n")+1:])
	return len(sentences) > 0 && isQuestion(sentences[len(sentences)-1])
}
