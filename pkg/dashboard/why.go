package dashboard

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// why holds the data of the page that explains which memories a prompt would be given.
type why struct {
	Prompt string // empty: none yet
	Answer daemonapi.WhyResult
	Off    string // why no session of the project is given anything, or ""
}

func (p *pages) why(v *visit) page {
	data := why{Prompt: strings.TrimSpace(v.URL.Query().Get("prompt"))}
	if data.Prompt != "" {
		data.Answer = ask(v, daemonapi.MethodWhy, daemonapi.WhyParams{Project: v.project, Text: data.Prompt})
		data.Off = p.whyOff(v)
	}
	return page{"why", "Why this?", data}
}
