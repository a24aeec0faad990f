package dashboard

import (
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	// shownPrompts is the maximum number of prompts to choose from.
	shownPrompts = 100
	// mostPrompt is the maximum number of bytes of a prompt in an address.
	mostPrompt = 1500
)

// why holds the data of the page that explains which memories a prompt was given.
type why struct {
	Prompt  string          // the chosen prompt; empty: none yet
	Session string          // session in which it was typed, or ""
	At      time.Time       // time at which it was typed
	Prompts []memory.Prompt // prompts to choose from, if none is chosen
	Answer  daemonapi.WhyResult
	Off     string // why no session of the project is given anything, or ""
}

func (p *pages) why(v *visit) page {
	asked := v.URL.Query()
	data := why{Prompt: strings.TrimSpace(asked.Get("prompt")), Session: asked.Get("session")}
	data.At, _ = time.Parse(time.RFC3339Nano, asked.Get("at")) // without a valid time nothing is looked up
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
		data.Off = p.whyOff(v)
	}
	return page{"why", "Why this?", data}
}

// WasTyped reports whether the prompt is from a session.
func (w why) WasTyped() bool { return w.Session != "" && !w.At.IsZero() }
