package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	maxConclusions    = 3    // of one turn
	minConclusion     = 5    // words
	questionSalience  = 0.35 // few questions stay open for long
	keepConclusion    = 0.40
	underHeading      = 0.3 // added under a heading such as "Root cause", and for its first sentence
	firstUnderHeading = 0.55
	conclusionCeiling = 0.6 // user statements rank first
)

// worthy are headings of sections that contain findings.
var worthy = english.Phrases("headings")

// Findings finds the statements to keep in a subagent's report: its conclusions or, since a review
// often only names a defect and its place, the first sentence about a file, as isAboutFile
// decides.
func (f Finder) Findings(report string, isAboutFile func(text string) bool) []Statement {
	if found := f.Conclusions(report); len(found) > 0 || f.Without[RuleFinding] {
		return found
	}
	for _, s := range sentences(report, true) {
		words := tokens(s.Text)
		if len(words) < minConclusion || len(s.Text) > maxSentence || fillers.In(words, opening(words)) || !isAboutFile(s.Text) {
			continue
		}
		return []Statement{{
			Text: s.Text, Heading: s.Heading, Kind: memory.KindDiscovery, Salience: keepConclusion,
			Rule: RuleFinding,
		}}
	}
	return nil
}

// Conclusions finds the statements to keep in the assistant's last words of a turn, the
// most salient first.
func (f Finder) Conclusions(lastWords string) []Statement {
	all := sentences(lastWords, true)
	var found []Statement
	var before string
	for i, s := range all {
		statement, keep := f.conclusion(s, i == len(all)-1)
		if keep {
			statement.Answers = before
			found = append(found, statement)
		}
		before = s.Text
	}
	slices.SortStableFunc(found, func(a, b Statement) int { return cmp.Compare(b.Salience, a.Salience) })
	return found[:min(len(found), maxConclusions)]
}

func (f Finder) conclusion(s sentence, last bool) (Statement, bool) {
	words := tokens(s.Text)
	if len(words) < minConclusion || len(s.Text) > maxSentence || strings.HasSuffix(s.Text, ":") {
		return Statement{}, false
	}
	start := opening(words)
	if strings.HasSuffix(strings.TrimRight(s.Text, " *)"), "?") {
		if !last || f.Without[RuleQuestion] || fillers.In(words, start) {
			return Statement{}, false
		}
		return Statement{
			Text: s.Text, Heading: s.Heading, Kind: memory.KindTodo, Salience: questionSalience,
			Rule: RuleQuestion,
		}, true
	}
	if fillers.In(words, start) {
		return Statement{}, false
	}
	made := f.judge(concluded, words)
	if s.Heading != "" && !f.Without[RuleHeading] && worthy.In(tokens(s.Heading), 0) {
		weight := underHeading
		if s.First {
			weight = firstUnderHeading
		}
		made.Salience = 1 - (1-made.Salience)*(1-weight)
		if made.Rule == "" {
			made.Rule, made.Kind = RuleHeading, memory.KindDiscovery
		}
	}
	made.Text, made.Heading = s.Text, s.Heading
	made.Salience *= conclusionCeiling / 0.8
	made.Salience = min(made.Salience, conclusionCeiling)
	return made, made.Salience >= keepConclusion
}

// Conclusions finds the statements to keep in the assistant's last words of a turn, the
// most salient first.
func Conclusions(lastWords string) []Statement { return Finder{}.Conclusions(lastWords) }

// Findings finds the statements to keep in a subagent's report. isAboutFile reports whether a sentence
// names a file.
func Findings(report string, isAboutFile func(text string) bool) []Statement {
	return Finder{}.Findings(report, isAboutFile)
}
