package distill

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// The fixed texts of all questions.
var (
	//go:embed system.txt
	system string
	//go:embed instructions.txt
	instructions string
	//go:embed whole.txt
	wholeInstructions string
	//go:embed schema.json
	schema json.RawMessage
	//go:embed whole.json
	wholeSchema json.RawMessage
)

// The lines around a session in a question.
const (
	sessionBegins = "\n<session>\n"
	sessionEnds   = "</session>\n"
)

// Question returns the question for the summary and the facts of the part. The answer may have no more facts than the
// given number.
func (p Part) Question(facts int) Question {
	asked := strings.ReplaceAll(instructions, "{facts}", fmt.Sprint(facts))
	var b strings.Builder
	b.WriteString(asked)
	p.writeStanding(&b)
	b.WriteString(sessionBegins)
	for i, s := range p.Sources {
		b.WriteString(s.text(i + 1))
	}
	b.WriteString(sessionEnds)
	return Question{System: system, Prompt: b.String(), Schema: schema, MaxOutput: MostOutput}
}

// writeStanding writes the standing lines under the headings of their areas. Lines without an area come first.
func (p Part) writeStanding(b *strings.Builder) {
	if len(p.Standing) == 0 && len(p.Areas) == 0 {
		return
	}
	b.WriteString(standingBegins)
	for _, area := range append([]string{""}, p.Areas...) {
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

// MostSummary is the maximum number of tokens that a part's summary usually has, for estimates.
const MostSummary = 600

// Whole returns the question for the summary of a session from the summaries of its parts, within budget tokens. If
// the summaries are too long, all are cut to the same length.
func Whole(parts []Part, counter memory.TokenCounter, budget int) Question {
	for most := maxSummary; ; most -= most / 4 {
		var b strings.Builder
		b.WriteString(wholeInstructions)
		b.WriteString("\n<parts>\n")
		for i, p := range parts {
			fmt.Fprintf(&b, "[%d] %s\n", i+1, memory.Cut(defuse.Line(p.Summary), most))
		}
		b.WriteString("</parts>\n")
		q := Question{System: system, Prompt: b.String(), Schema: wholeSchema, MaxOutput: MostOutput}
		if q.Tokens(counter)+Overhead+MostOutput <= budget || most < minSource {
			return q
		}
	}
}

// WholeKey returns the key of the summary of all parts.
func WholeKey(parts []Part) string {
	keys := make([]string, len(parts))
	for i, p := range parts {
		keys[i] = p.Key
	}
	return key("whole " + strings.Join(keys, " "))
}

// Tokens returns the number of tokens of a question, without the runner's Overhead.
func (q Question) Tokens(counter memory.TokenCounter) int {
	return counter.Count(q.System) + counter.Count(q.Prompt) + counter.Count(string(q.Schema))
}
