package dashboard

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// preview is the data of the next session's start.
type preview struct {
	agentapi.PreviewResult
	Sections []section
	Told     int // lines
}

// section is the lines of one heading.
type section struct {
	Title        string
	Told, Missed []agentapi.PreviewLine
	Left         int // missed lines that are not shown
}

// shownMissed is how many of the lines that just missed are shown of each section.
const shownMissed = 6

func (p *pages) preview(ctx context.Context, v visit) (page, error) {
	result, err := ask(ctx, p.agent, agentapi.MethodPreview, agentapi.PreviewParams{Project: v.project, TokenBudget: p.startBudget})
	data := preview{PreviewResult: result}
	for _, line := range result.Lines {
		if len(data.Sections) == 0 || data.Sections[len(data.Sections)-1].Title != line.Section {
			data.Sections = append(data.Sections, section{Title: line.Section})
		}
		last := &data.Sections[len(data.Sections)-1]
		switch {
		case line.Told:
			last.Told = append(last.Told, line)
			data.Told++
		case len(last.Missed) < shownMissed:
			last.Missed = append(last.Missed, line)
		default:
			last.Left++
		}
	}
	return page{"preview", "What the next session is given", data}, err
}
