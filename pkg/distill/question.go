package distill

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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
