package dashboard

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// sessionLink leads to a session, by its day and its first words.
type sessionLink struct{ To, Text string }

// sessionNames has the titles of links to sessions, by the sessions' ids.
type sessionNames struct {
	base  string // the path that all pages are below
	known map[string]memory.Session
	first func(id string) string // the first words of a session without a summary
}

const (
	// namedSessions bounds the sessions whose first words links have; an older one has its day.
	namedSessions = 100
	firstWords    = 60 // bytes
)

// sessionNames reads the names of the last sessions of a project, or of all without a key.
func (p *pages) sessionNames(ctx context.Context, project string) (sessionNames, error) {
	all, err := ask(ctx, p.agent, agentapi.MethodSessions, agentapi.SessionsParams{Project: project, Limit: namedSessions})
	prompts := map[string]string{}
	names := sessionNames{base: p.guard.base, known: map[string]memory.Session{}, first: func(id string) string {
		if _, isKnown := prompts[id]; !isKnown {
			prompts[id], _ = p.firstPrompt(ctx, id) // a link without words leads there, too
		}
		return prompts[id]
	}}
	for _, one := range all {
		names.known[one.ID] = one
	}
	return names, err
}

// link is the link to a session in which something happened at a time.
func (n sessionNames) link(project, id string, at time.Time) sessionLink {
	to := n.base + "/sessions/" + url.PathEscape(id)
	if project != "" {
		to += "?" + url.Values{"project": {project}}.Encode()
	}
	words := "session " + shortSession(id)
	if s, isKnown := n.known[id]; isKnown {
		said := saidFirst(s)
		if said == "" && s.PromptCount > 0 {
			said = n.first(id)
		}
		words = cmp.Or(said, words)
		if !s.StartedAt.IsZero() {
			at = s.StartedAt
		}
	}
	text := memory.CutWords(memory.OneLine(defuse.Visible(words)), firstWords)
	if !at.IsZero() {
		text = at.Local().Format("2 Jan 15:04") + ", " + text
	}
	return sessionLink{to, text}
}

// saidFirst is the request of a session, or else its summary without the day.
func saidFirst(s memory.Session) string {
	if s.Summary.Digest.Request != "" {
		return s.Summary.Digest.Request
	}
	text := s.Summary.Text
	if _, words, found := strings.Cut(text, " UTC: "); found {
		text = words
	}
	return text
}

// firstPrompt is the first prompt of a session, or "".
func (p *pages) firstPrompt(ctx context.Context, id string) (string, error) {
	record, err := ask(ctx, p.agent, agentapi.MethodSession, id)
	if err != nil || len(record.Prompts) == 0 {
		return "", err
	}
	return record.Prompts[0].Text, nil
}

// sessionDigits is how much of a session's id is shown.
const sessionDigits = 8

func shortSession(id string) string { return id[:min(len(id), sessionDigits)] }
