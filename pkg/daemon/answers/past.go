package answers

import (
	"context"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func promptsOf(records []memory.SessionRecord) (prompts []memory.Prompt) {
	for _, record := range records {
		prompts = append(prompts, record.Prompts...)
	}
	return prompts
}

// isOfSessions reports whether a question is also searched for in what was said in sessions.
func isOfSessions(p daemonapi.FindParams) bool {
	return p.Text != "" && (len(p.Kinds) == 0 || slices.Contains(p.Kinds, memory.KindTurn))
}

const (
	// mostPast bounds the sessions of one answer.
	mostPast = 5
	// wellFound is a factor: a memory is found well if its share of a question's topic is at least wellFound times
	// the best session's. A session has many words, and the sentence that answers a question has most of the words
	// that count.
	wellFound = 0.75
)

// withPast adds the sessions nearest to a question, unless a memory is found well (see wellFound). They come after
// the hits if a sentence is found well, else before them: of a long text, such as a pasted issue, no sentence has
// much.
func (a *Answers) withPast(ctx context.Context, p daemonapi.FindParams, hits []memory.Hit) ([]memory.Hit, error) {
	if !isOfSessions(p) {
		return hits, nil
	}
	records, err := a.Store.Records(ctx, memory.Conversations(p.Project))
	if err != nil {
		return nil, err
	}
	past := hitsOf(nearest(records, p, mostPast))
	isFound := func(h memory.Hit) bool { return len(past) == 0 || h.Share >= wellFound*past[0].Share }
	switch {
	case slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Memory.Kind != memory.KindTurn && isFound(h) }):
		return hits, nil
	case slices.ContainsFunc(hits, isFound):
		return slices.Concat(hits, past), nil
	default:
		return slices.Concat(past, hits), nil
	}
}

// nearest returns the sessions that are nearest to a question by all that was asked and answered in them, at most
// limit, the nearest first. It leaves out the session that asks.
func nearest(records []memory.SessionRecord, p daemonapi.FindParams, limit int) (found []near) {
	index, of := recall.NewIndex(recall.DefaultWeights()), map[string]memory.SessionRecord{}
	for _, record := range records {
		s := record.Session
		if len(record.Prompts) == 0 || s.ID == p.Session {
			continue
		}
		of[s.ID] = record
		index.Put(recall.Entry{Memory: memory.Memory{ID: s.ID, Content: wordsOf(record), LastSeenAt: s.LastEventAt}})
	}
	for _, hit := range index.Recall(recall.Query{Text: p.Text, Files: p.Files, Limit: limit}) {
		found = append(found, near{of[hit.Memory.ID], hit})
	}
	return found
}

// near is a session that nearest has found, with its hit.
type near struct {
	record memory.SessionRecord
	hit    recall.Hit
}

func hitsOf(found []near) (hits []memory.Hit) {
	for _, one := range found {
		hits = append(hits, memory.Hit{Memory: ofSession(one.record), Score: one.hit.Score, Share: one.hit.Share})
	}
	return hits
}

// Nearest returns the sessions of a project that are nearest to some words, at most limit, the nearest first.
func (a *Answers) Nearest(ctx context.Context, project, words string, limit int) ([]memory.Session, error) {
	records, err := a.Store.Records(ctx, memory.Conversations(project))
	if err != nil {
		return nil, err
	}
	sessions := []memory.Session{}
	for _, one := range nearest(records, daemonapi.FindParams{Text: words}, limit) {
		sessions = append(sessions, one.record.Session)
	}
	return sessions, nil
}

// wordsOf returns what was asked and answered in a session, and the fields of its summary.
func wordsOf(record memory.SessionRecord) string {
	var text strings.Builder
	for _, prompt := range record.Prompts {
		text.WriteString(prompt.Text + "\n")
	}
	for _, e := range record.SessionEvents {
		if e.Kind == memory.EventTurnEnded {
			text.WriteString(e.Text + "\n")
		}
	}
	text.WriteString(record.Session.Summary.Digest.Lines())
	return text.String()
}

// mostRequest is the most bytes that are shown of a session's first prompt, or of an answer.
const mostRequest = 300

// ofSession returns a session as a memory with the session's id: what was asked first, and the fields of its summary.
func ofSession(record memory.SessionRecord) memory.Memory {
	s := record.Session
	m := memory.Memory{
		ID: s.ID, Project: s.Project, Session: s.ID, Kind: memory.KindTurn, Type: memory.TypeEpisodic, Scope: memory.ScopeProject,
		Status: memory.StatusActive, Source: memory.SourceTool,
		Content: s.Summary.Digest.Request, Detail: s.Summary.Digest.Lines(), CreatedAt: s.StartedAt, LastSeenAt: s.LastEventAt,
	}
	if m.Content == "" && len(record.Prompts) > 0 { // it has not been summed up yet
		m.Content = memory.CutWords(memory.OneLine(record.Prompts[0].Text), mostRequest)
		m.Detail = m.Content
	}
	if s.Summary.Digest.Source == memory.SourceAssistant {
		m.Source, m.Tags = memory.SourceAssistant, []string{memory.TagModel}
	}
	return m
}
