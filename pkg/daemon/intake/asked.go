package intake

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// expectRead records which transcripts the next TakeBack reads, given events that were stored. The caller must hold in.writing.
func (in *Intake) expectRead(events []memory.Event) {
	for _, e := range events {
		asked, isAsked := in.asked[e.Session]
		switch {
		case e.Kind == memory.EventSessionEnded && e.Transcript != "":
			in.ended = append(in.ended, e)
		case e.Kind == memory.EventTurnEnded && isAsked:
			in.ended = append(in.ended, asked)
			delete(in.asked, e.Session)
		case e.Unsure && speaksOfAllProjects(e):
			if in.asked == nil {
				in.asked = map[string]memory.Event{}
			}
			in.asked[e.Session] = e
		}
	}
}

// speaksOfAllProjects reports whether a request or a sentence of a prompt says that it holds in all projects.
func speaksOfAllProjects(e memory.Event) bool {
	isWide := func(d knowledge.Directive) bool { return knowledge.SaysEverywhere(d.Text) }
	return slices.ContainsFunc(knowledge.Directives(e.Prompt, e.LastWords), isWide) || slices.ContainsFunc(knowledge.Sentences(e.Prompt), knowledge.SaysEverywhere)
}

// isUnsure reports whether a quote is of a prompt of which the transcript has not yet told who typed it. The caller must hold in.writing.
func (in *Intake) isUnsure(quote string) bool {
	for _, e := range in.asked {
		if knowledge.States(e.Prompt, quote) {
			return true
		}
	}
	return false
}
