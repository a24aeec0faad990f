package dashboard

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// askedSessions and shownPrompts bound the prompts to choose from.
	askedSessions = 50
	shownPrompts  = 100
	// mostPrompt bounds the text of a prompt in an address, in bytes.
	mostPrompt = 1500
)

// why is the data of the answer to a prompt, with reasons.
type why struct {
	Prompt  string          // the chosen one; empty: none yet
	Session string          // where it was typed, if it is one of the last sessions'
	At      time.Time       // and when
	Prompts []memory.Prompt // to choose from, if none is chosen
	Answer  agentapi.WhyResult
}

func (p *pages) why(v *visit) page {
	asked := v.URL.Query()
	data := why{Prompt: strings.TrimSpace(asked.Get("prompt")), Session: asked.Get("session")}
	data.At, _ = time.Parse(time.RFC3339Nano, asked.Get("at")) // without it nothing is looked for
	if data.Prompt == "" {
		data.Prompts = lastPrompts(v)
	} else {
		data.Answer = ask(v, agentapi.MethodWhy, agentapi.WhyParams{Project: v.project, Text: data.Prompt, Session: data.Session, At: data.At})
	}
	return page{"why", "Why this?", data}
}

// WasTyped says whether the prompt is one of a session.
func (w why) WasTyped() bool { return w.Session != "" && !w.At.IsZero() }

// lastPrompts are those of the last sessions, the latest first.
func lastPrompts(v *visit) []memory.Prompt {
	var all []memory.Prompt
	for _, one := range ask(v, agentapi.MethodSessions, agentapi.SessionsParams{Project: v.project, Limit: askedSessions}) {
		if len(all) >= shownPrompts { // sessions come the latest first
			break
		}
		if one.PromptCount == 0 {
			continue
		}
		for _, prompt := range ask(v, agentapi.MethodSession, one.ID).Prompts {
			prompt.Text = memory.Cut(strings.TrimSpace(prompt.Text), mostPrompt)
			all = append(all, prompt)
		}
	}
	slices.SortStableFunc(all, func(x, y memory.Prompt) int { return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.ID, y.ID)) })
	return all[:min(len(all), shownPrompts)]
}

// mark keeps the verdict of a form: the memory that the prompt should have been told.
func (p *pages) mark(v *visit) (done, run string) {
	ask(v, agentapi.MethodMark, agentapi.Mark{Project: v.project, Prompt: v.PostFormValue("prompt"), Memory: v.PostFormValue("memory")})
	return "marked", ""
}
