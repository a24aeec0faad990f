package intake

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// expectRead records which transcripts the next TakeBack reads, given events that were stored. The caller must hold in.writing.
func (in *Intake) expectRead(events []memory.Event) {
	isWide := func(d knowledge.Directive) bool { return knowledge.SaysEverywhere(d.Text) }
	for _, e := range events {
		asked, isAsked := in.asked[e.Session]
		switch {
		case e.Kind == memory.EventSessionEnded && e.Transcript != "":
			in.ended = append(in.ended, e)
		case e.Kind == memory.EventTurnEnded && isAsked:
			in.ended = append(in.ended, asked)
			delete(in.asked, e.Session)
		case e.Unsure && slices.ContainsFunc(knowledge.Directives(e.Prompt, e.LastWords), isWide):
			if in.asked == nil {
				in.asked = map[string]memory.Event{}
			}
			in.asked[e.Session] = e
		}
	}
}
