package dashboard

import (
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	// shownPrompts bounds the prompts to choose from.
	shownPrompts = 100
	// mostPrompt bounds the text of a prompt in an address, in bytes.
	mostPrompt = 1500
)

// why is the data of the answer to a prompt, with reasons.
type why struct {
	Prompt  string                  // the chosen one; empty: none yet
	Session string                  // where it was typed, if it is one of the last sessions'
	At      time.Time               // and when
	Prompts []daemonapi.AskedPrompt // to choose from, if none is chosen
	Answer  daemonapi.WhyResult
}

func (p *pages) why(v *visit) page {
	asked := v.URL.Query()
	data := why{Prompt: strings.TrimSpace(asked.Get("prompt")), Session: asked.Get("session")}
	data.At, _ = time.Parse(time.RFC3339Nano, asked.Get("at")) // without it nothing is looked for
	if data.Prompt == "" {
		data.Prompts = ask(v, daemonapi.MethodPrompts, daemonapi.OfProject{Project: v.project, Limit: shownPrompts})
		for i, one := range data.Prompts {
			data.Prompts[i].Text = memory.Cut(strings.TrimSpace(one.Text), mostPrompt)
		}
	} else {
		data.Answer = ask(v, daemonapi.MethodWhy, daemonapi.WhyParams{
			Project: v.project, Text: data.Prompt,
			Session: data.Session, At: data.At,
		})
	}
	return page{"why", "Why this?", data}
}

// WasTyped says whether the prompt is one of a session.
func (w why) WasTyped() bool { return w.Session != "" && !w.At.IsZero() }
