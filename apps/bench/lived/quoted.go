package lived

import (
	"regexp"
	"strings"
)

// quoted is a fact's quote, prepared for a search in many lines.
type quoted struct {
	text  string // letters and digits, separated by single spaces
	words map[string]bool
}

func newQuoted(quote string) quoted { return quoted{plain(quote), wordsOf(quote)} }

// line is a line that may contain facts.
type line = quoted

// A line contains a quote if it has the whole quote (of at least wholeFrom bytes), piece consecutive bytes of the
// quote, or quoteShare of its words (of at least quoteWords).
const (
	quoteShare = 0.7
	quoteWords = 4
	wholeFrom  = 12
	piece      = 40
	pieceStep  = 10
)

// isIn reports whether a line contains a quote.
func (q quoted) isIn(l line) bool {
	if len(q.text) >= wholeFrom && strings.Contains(l.text, q.text) {
		return true
	}
	if len(q.text) >= piece {
		for i := 0; i < max(1, len(q.text)-piece); i += pieceStep {
			if strings.Contains(l.text, q.text[i:min(i+piece, len(q.text))]) {
				return true
			}
		}
	}
	if len(q.words) < quoteWords {
		return false
	}
	shared := 0
	for word := range q.words {
		if l.words[word] {
			shared++
		}
	}
	return float64(shared)/float64(len(q.words)) >= quoteShare
}

var (
	notPlain = regexp.MustCompile(`[^a-z0-9]+`)
	aWord    = regexp.MustCompile(`[a-z0-9_./-]{2,}`)
)

func plain(text string) string {
	return strings.TrimSpace(notPlain.ReplaceAllString(strings.ToLower(text), " "))
}

var stopWords = setOf(`the a an and or of to in on for is are was be it this that we you i with as at by from not no so if then do does can
	should would will just have has had but our your its there what which when how why`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range aWord.FindAllString(strings.ToLower(text), -1) {
		if strings.Trim(word, "./-") != "" && !stopWords[word] {
			words[word] = true
		}
	}
	return words
}

// linesOf returns the lines of an injected text that show a memory.
func linesOf(text string) []line {
	var lines []line
	for one := range strings.Lines(text) {
		if strings.TrimSpace(one) == "" || strings.HasPrefix(one, "<") || strings.HasPrefix(one, "#") || strings.HasPrefix(one, "From earlier") {
			continue
		}
		lines = append(lines, newQuoted(one))
	}
	return lines
}
