package answers

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// conversations returns what was said in the sessions of a project, without what the user took back.
func (a *Answers) conversations(ctx context.Context, project string) ([]memory.SessionRecord, error) {
	records, err := a.Store.Records(ctx, memory.ProjectRecords(project))
	for i := range records {
		records[i] = records[i].WithoutRewound()
	}
	return records, err
}

// isOfSessions reports whether the words spoken in sessions are searched too.
func isOfSessions(p daemonapi.FindParams) bool {
	return p.Text != "" && (len(p.Kinds) == 0 || slices.Contains(p.Kinds, memory.KindTurn))
}

const (
	// mostPast is the maximum number of sessions in an answer.
	mostPast = 5
	// A memory counts as well found if its Share is at least wellFound times the best session's. The factor is below 1 because a
	// whole session contains more of the words than the one sentence that answers.
	wellFound = 0.75
)

// withPast adds the nearest sessions to hits, unless a memory is well found (see wellFound). If only a sentence of a prompt is well found,
// the sessions come after the hits. If nothing is, they come first: no sentence covers much of a long question, such as a pasted issue.
// The user's newer words stand above what they may correct.
func (a *Answers) withPast(ctx context.Context, p daemonapi.FindParams, hits []memory.Hit) ([]memory.Hit, error) {
	if !isOfSessions(p) {
		return hits, nil
	}
	records, err := a.conversations(ctx, p.Project)
	if err != nil {
		return nil, err
	}
	_, past := nearest(records, p, mostPast)
	if past, err = a.withoutTakenBack(ctx, p.Project, past); err != nil {
		return nil, err
	}
	isFound := func(h memory.Hit) bool { return len(past) == 0 || h.Share >= wellFound*past[0].Share }
	switch {
	case slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Memory.Kind != memory.KindTurn && isFound(h) }):
		return hits, nil
	case slices.ContainsFunc(hits, isFound):
		return a.corrections(ctx, p.Project, slices.Concat(hits, past))
	default:
		return a.corrections(ctx, p.Project, slices.Concat(past, hits))
	}
}

// nearest returns the sessions, except the asking one, whose words are nearest to a question. It returns them in the form of hits, too.
func nearest(records []memory.SessionRecord, p daemonapi.FindParams, limit int) (found []memory.Session, hits []memory.Hit) {
	found = []memory.Session{}
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
		record := of[hit.Memory.ID]
		hit.Memory = ofSession(record)
		found, hits = append(found, record.Session), append(hits, hit)
	}
	return found, hits
}

// Nearest returns the sessions of a project that are nearest to some words, at most limit, the nearest first.
func (a *Answers) Nearest(ctx context.Context, project, words string, limit int) ([]memory.Session, error) {
	records, err := a.conversations(ctx, project)
	if err != nil {
		return nil, err
	}
	found, _ := nearest(records, daemonapi.FindParams{Text: words}, limit)
	return found, nil
}

// Changed returns the newest sessions of a project that changed a file. file is its path in the project, or the end of this path.
func (a *Answers) Changed(ctx context.Context, project, file string, limit int) ([]memory.Session, error) {
	records, err := a.conversations(ctx, project)
	if err != nil {
		return nil, err
	}
	file = path.Clean(filepath.ToSlash(file))
	sessions := []memory.Session{}
	for _, record := range records {
		if record.HasChanged(file) {
			sessions = append(sessions, record.Session)
		}
	}
	return memory.Newest(sessions, limit), nil
}

// wordsOf returns the prompts and answers of a session, and the fields of its summary.
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

// ofSession returns a session as a memory with the session's id. Its detail has the fields of the summary.
func ofSession(record memory.SessionRecord) memory.Memory {
	s := record.Session
	m := memory.Memory{
		ID: s.ID, Project: s.Project, Session: s.ID, Kind: memory.KindTurn, Type: memory.TypeEpisodic, Scope: memory.ScopeProject,
		Status: memory.StatusActive, Source: memory.SourceTool,
		Content: s.Summary.Digest.Request, Detail: s.Summary.Digest.Lines(), CreatedAt: s.StartedAt, LastSeenAt: s.LastEventAt,
	}
	if m.Content == "" && len(record.Prompts) > 0 { // the session has no summary yet
		m.Content = memory.CutWords(memory.OneLine(knowledge.WithoutPaste(record.Prompts[0].Text)), mostRequest)
		m.Detail = m.Content
	}
	if s.Summary.Digest.Source == memory.SourceAssistant {
		m.Source, m.Tags = memory.SourceAssistant, []string{memory.TagModel}
	}
	return m
}
