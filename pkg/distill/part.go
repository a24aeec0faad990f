package distill

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// The limits of a turn's parts, in bytes, and other limits. Statements that a cut removes become sources of their own.
const (
	maxPrompt    = 3_000
	maxLastWords = 3_600
	maxPlan      = 3_000
	maxFailure   = 300
	maxFailures  = 4 // per turn
	minSource    = 100
)

// The lines around the standing memories and around the session in a question.
const (
	standingBegins = "\n<standing>\n"
	standingEnds   = "</standing>\n"
	sessionBegins  = "\n<session>\n"
	sessionEnds    = "</session>\n"
)

// Source is a turn, statement or accepted plan of the user in a question. A fact that quotes it derives from its Memories.
type Source struct {
	At        time.Time
	Memories  []string // IDs of the stored memories that hold parts of it
	User      string   // the user's words
	Written   string   // the sentences of User that are neither pasted nor quoted
	Assistant string   // the assistant's last words
	Plan      string   // the assistant's plan that the user accepted
	Files     []string
	Failures  []string // commands that failed, with their errors and fixes
}

// text returns the source as the model sees it. Only our own lines begin in the first column, so that no text can imitate a turn.
func (s Source) text(n int) string {
	var b strings.Builder
	within := strings.NewReplacer("\n", "\n  ")
	fmt.Fprintf(&b, "[%d] %s\n", n, s.At.UTC().Format("2006-01-02 15:04"))
	if s.User != "" {
		fmt.Fprintf(&b, "user: %s\n", within.Replace(s.User))
	}
	if s.Assistant != "" {
		fmt.Fprintf(&b, "assistant: %s\n", within.Replace(s.Assistant))
	}
	if s.Plan != "" {
		fmt.Fprintf(&b, "the assistant's plan, which the user accepted: %s\n", within.Replace(s.Plan))
	}
	for _, failure := range s.Failures {
		fmt.Fprintf(&b, "failed: %s\n", failure)
	}
	if len(s.Files) > 0 {
		fmt.Fprintf(&b, "edited: %s\n", strings.Join(s.Files, ", "))
	}
	return b.String()
}

// textOf returns sources as the model sees them.
func textOf(sources []Source) string {
	var b strings.Builder
	for i, s := range sources {
		b.WriteString(s.text(i + 1))
	}
	return b.String()
}

// Part is a piece of a session that fits into one call.
type Part struct {
	// Key is a hash of the sources. It stays the same when the session continues.
	Key     string
	Sources []Source
	// Standing has the memories that the part's facts may relate to, Areas the areas in use.
	Standing []Line
	Areas    []string
	Done     bool // a model has answered, and is not asked again

	gone rejected // sentences rejected since the part was made
}

// without returns sources without the rejected texts, and leaves out sources that are empty then.
func (r rejected) without(sources []Source) (left []Source) {
	if len(r.texts) == 0 {
		return sources
	}
	for _, s := range sources {
		s.User, s.Written, s.Assistant, s.Plan = r.typed(s.User), r.typed(s.Written), r.repeated(s.Assistant), r.repeated(s.Plan)
		if s.User+s.Assistant+s.Plan != "" || len(s.Files)+len(s.Failures) > 0 {
			left = append(left, s)
		}
	}
	return left
}

// At returns the time at which the part ended.
func (p Part) At() time.Time {
	if len(p.Sources) == 0 {
		return time.Time{}
	}
	return p.Sources[len(p.Sources)-1].At
}

// Line is a standing memory in a question. Its text begins with an id that is unique in the question.
type Line struct {
	ID, Area, Text string
	Open           bool   // work to do, which a session may end
	Own            string // the words of the user, without marks; "" for a fact
}

// isNamed reports whether id, from an answer, is this line's id as shown, or a longer form of it.
func (l Line) isNamed(id string) bool {
	shown, _, _ := strings.Cut(l.Text, " ")
	return strings.HasPrefix(id, shown) && strings.HasPrefix(l.ID, id)
}

func heading(area string) string { return area + ":\n" }

// FactQuota returns the number of facts to ask for in the first open part, out of left: an equal share and two more,
// because facts are spread unevenly.
func FactQuota(left int, parts []Part) int {
	open := 0
	for _, p := range parts {
		if !p.Done {
			open++
		}
	}
	if open == 0 {
		return 0
	}
	const more = 2
	return max(1, min(left, (left+open-1)/open+more))
}

// contains reports whether a text contains a passage, ignoring differences in white space.
func contains(text, passage string) bool {
	return passage != "" && strings.Contains(memory.OneLine(text), memory.OneLine(passage))
}

// rejected are the texts of a session's memories that somebody has archived or edited since: no question shows them, and
// no fact rests on them.
type rejected struct {
	texts []string // texts as the model would be shown them
	cores []english.Core
	// pattern matches these texts, and longer standing texts that contain one.
	pattern *regexp.Regexp
}

// rejectedOf returns the rejected texts. A standing text that contains one stays whole.
func rejectedOf(texts, standing []string) (r rejected) {
	if r.texts = texts; len(texts) == 0 {
		return r
	}
	var patterns []string
	for _, text := range append(slices.DeleteFunc(standing, func(text string) bool { return r.cut(text) == text }), texts...) {
		patterns = append(patterns, strings.Join(strings.Fields(regexp.QuoteMeta(text)), `\s+`))
	}
	r.cores = memory.Each(texts, english.CoreOf)
	r.pattern = regexp.MustCompile(strings.Join(patterns, "|"))
	r.pattern.Longest()
	return r
}

// cut returns a text, which must be on one line, without the rejected texts.
func (r rejected) cut(text string) string {
	for _, one := range r.texts {
		text = strings.ReplaceAll(text, one, "")
	}
	return text
}

// sentence matches a sentence or line with the space behind it.
var sentence = regexp.MustCompile(`(?s).+?(?:[.!?]\s+|\n|$)`)

// repeated returns a text of the assistant's without the sentences that say what was rejected.
func (r rejected) repeated(text string) string {
	return sentence.ReplaceAllStringFunc(text, func(one string) string {
		if said := english.CoreOf(one); slices.ContainsFunc(r.cores, func(c english.Core) bool { return c.IsContainedIn(said) }) {
			return ""
		}
		return one
	})
}

// typed returns a text of the user's without what was rejected.
func (r rejected) typed(text string) string {
	return strings.TrimSpace(r.pattern.ReplaceAllStringFunc(text, func(found string) string {
		if slices.Contains(r.texts, memory.OneLine(found)) {
			return ""
		}
		return found
	}))
}

// The fixed texts of all questions.
var (
	//go:embed system.txt
	system string
	//go:embed instructions.txt
	instructions string
	//go:embed schema.json
	schema json.RawMessage
)

// Question returns the question for the summary and the facts of the part. The answer may have no more facts than the
// given number.
func (p Part) Question(facts int) Question {
	asked := strings.ReplaceAll(instructions, "{facts}", fmt.Sprint(facts))
	var b strings.Builder
	b.WriteString(asked)
	if len(p.Standing) > 0 || len(p.Areas) > 0 {
		b.WriteString(standingBegins)
		for _, area := range append([]string{""}, p.Areas...) { // lines without an area come first
			if area != "" {
				b.WriteString(heading(area))
			}
			for _, line := range p.Standing {
				if line.Area == area {
					b.WriteString(line.Text)
				}
			}
		}
		b.WriteString(standingEnds)
	}
	b.WriteString(sessionBegins)
	b.WriteString(textOf(p.Sources))
	b.WriteString(sessionEnds)
	return Question{System: system, Prompt: b.String(), Schema: schema, MaxOutput: MostOutput}
}

// Tokens returns the number of tokens of a question, without the runner's Overhead.
func (q Question) Tokens(counter memory.TokenCounter) int {
	return counter.Count(q.System) + counter.Count(q.Prompt) + counter.Count(string(q.Schema))
}
