package answers

import (
	"context"
	"errors"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Find returns the memories that answer a question, including those that the session has seen: facts, then what the user
// said, then others. The user's newer words that may correct a hit come right before it, also if they do not fit the question.
func (a *Answers) Find(ctx context.Context, p daemonapi.FindParams) ([]memory.Hit, error) {
	p.Limit = min(max(p.Limit, 1), mostFound)
	hits, err := a.search(ctx, p)
	hits = hits[:min(p.Limit, len(hits))]
	for i := range hits {
		hits[i].Memory = a.Briefing.Count(hits[i].Memory)
	}
	return hits, err
}

// search returns the hits of Find before its limit.
func (a *Answers) search(ctx context.Context, p daemonapi.FindParams) (hits []memory.Hit, err error) {
	byWord := p.Words && p.Text != ""
	if byWord {
		p.Limit = mostFound
	}
	var said []memory.Memory
	if p.Archived {
		all, err := a.stored(ctx, p.Project, memory.StatusArchived)
		if hits = ranked(p, all); err != nil {
			return nil, err
		}
	} else if index, err := a.Briefing.Index(ctx, p.Project); err != nil {
		return nil, err
	} else if hits = findActive(index, p); isOfSessions(p) {
		records, err := a.conversations(ctx, p.Project)
		if err != nil {
			return nil, err
		}
		if hits, err = a.withoutTakenBack(ctx, p.Project, findSaid(p, hits, records, index.Superseded())); err != nil {
			return nil, err
		}
		if byWord {
			hits = union(hits, findEvents(p, records))
		}
		said = index.UsersWords()
	}
	if byWord { // leaves out hits that share no word, or only a synonym, with the question
		hits = slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.Share <= recall.SynonymShare })
	}
	return a.Briefing.NewestFirst(hits, said), nil
}

// findActive returns the active memories that fit a question, without superseded ones. Facts come before the others, and in both
// groups good matches before weak ones. A weak match may share a single word: for a person who asks, it is better than nothing.
func findActive(index *recall.Index, p daemonapi.FindParams) []memory.Hit {
	hits, others := []memory.Hit{}, index.Recall(queryOf(p))
	found, fits := index.Question(p.Text, p.Limit)
	for _, hit := range found {
		if !hit.Memory.IsFact() || len(p.Kinds) > 0 && !slices.Contains(p.Kinds, hit.Memory.Kind) {
			continue
		}
		if at := slices.IndexFunc(others, func(h memory.Hit) bool { return h.Memory.ID == hit.Memory.ID }); at >= 0 {
			hit.Share = others[at].Share
		}
		if fits { // a cue matched: the text need not contain the words
			hit.Share = 1
		}
		hits = append(hits, hit)
	}
	hits = union(hits, others)
	hits = slices.DeleteFunc(hits, func(h memory.Hit) bool {
		e, _ := index.Entry(h.Memory.ID)
		return e.SupersededBy != ""
	})
	slices.SortStableFunc(hits, func(x, y memory.Hit) int { return memory.TrueFirst(x.Memory.IsFact(), y.Memory.IsFact()) })
	return hits
}

// byID returns the memory with this id, or the only one whose id begins with it. If no memory matches, it looks for a
// session in the same way, and returns the session's summary in the form of a memory.
func (a *Answers) byID(ctx context.Context, project, id string) (memory.Memory, error) {
	m, err := memory.Find(ctx, a.Store, id, project, "")
	if errors.Is(err, memory.ErrNotFound) {
		m, err = a.summaryOf(ctx, project, id)
	}
	if err != nil {
		return memory.Memory{}, err
	}
	return a.Briefing.Count(m), nil
}

// fetched stands in place of a hook's name in the injections of memories that a model fetched.
const fetched = "fetch"

// Fetch returns memories by ids or their beginnings (the ambiguous ones in Refused), with the user's newer words that may correct one above it, and
// records them as shown to the session.
func (a *Answers) Fetch(ctx context.Context, p daemonapi.FetchParams) (daemonapi.Fetched, error) {
	result := daemonapi.Fetched{Memories: []memory.Memory{}}
	var hits []memory.Hit
	for _, id := range p.IDs {
		m, err := a.byID(ctx, p.Project, id)
		switch {
		case errors.Is(err, memory.ErrNotFound):
			continue
		case errors.Is(err, memory.ErrInvalid):
			result.Refused = append(result.Refused, daemonapi.Refusal{
				ID:     id,
				Reason: memory.ErrorText(err),
			})
			continue
		case err != nil:
			return result, err
		}
		hits = append(hits, memory.Hit{Memory: m})
	}
	hits, err := a.corrections(ctx, p.Project, hits)
	if err != nil {
		return result, err
	}
	var shown []string
	for _, hit := range hits {
		m := hit.Memory
		result.Memories = append(result.Memories, m)
		if m.ID != m.Session { // false for the summary of a session
			shown = append(shown, m.ID)
		}
	}
	if result.Superseded, err = a.corrected(ctx, shown); err != nil {
		return result, err
	}
	a.Briefing.Sessions.Record(session.Conversation{Session: p.Session}, fetched, shown)
	a.Briefing.Sessions.Recalled(p.Session, shown, a.Briefing.Now().UTC())
	return result, nil
}

// leastSessionID is the minimum number of bytes with which a session's id can be abbreviated. A start shows more of them.
const leastSessionID = 6

// summaryOf returns the session whose id is id or begins with it, as a memory: starts and answers show one line of
// it. It fails with memory.ErrNotFound if there is none, and with memory.ErrInvalid if several match.
func (a *Answers) summaryOf(ctx context.Context, project, id string) (memory.Memory, error) {
	if len(id) < leastSessionID {
		return memory.Memory{}, memory.ErrNotFound
	}
	named, err := memory.SessionNamed(ctx, a.Store, project, id)
	if err != nil {
		return memory.Memory{}, err
	}
	record, err := memory.RecordOf(ctx, a.Store, named.ID)
	return ofSession(record), err
}
