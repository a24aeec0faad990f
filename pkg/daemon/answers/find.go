package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// Find returns the memories that answer a question: first facts written by a model, then what the user said, then the
// others. It includes memories that the session has already seen, because somebody asks for them.
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
	if p.Archived {
		all, err := a.stored(ctx, p.Project, memory.StatusArchived)
		if hits = listed(p, all); err != nil {
			return nil, err
		}
	} else if hits, err = a.findActive(ctx, p); err != nil {
		return nil, err
	} else if isOfSessions(p) {
		records, err := a.conversations(ctx, p.Project)
		if err != nil {
			return nil, err
		}
		if hits = findSaid(p, hits, records); byWord {
			hits = union(hits, findEvents(p, records))
		}
	}
	if byWord {
		hits = withWord(hits, p.Text)
	}
	return hits, nil
}

// withWord returns the hits that contain a word of the text, or, if there are none, a word with nearly the same spelling.
func withWord(hits []memory.Hit, text string) []memory.Hit {
	words, stems := strings.Fields(strings.ToLower(text)), stemsOf(text)
	found := slices.DeleteFunc(slices.Clone(hits), func(h memory.Hit) bool { return !hasWord(h.Memory, words, stems) })
	if len(found) == 0 {
		found = slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.Share <= recall.SynonymShare })
	}
	return found
}

// hasWord reports whether a memory contains one of the words, which are in lower case, or a word with one of the
// stems.
func hasWord(m memory.Memory, words []string, stems map[string]bool) bool {
	text := textOf(m)
	for stem := range stemsOf(text) {
		if stems[stem] {
			return true
		}
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(word string) bool { return holds(text, word) })
}

// findActive returns the active memories that fit a question. The good matches, if any, come first; then all memories that share
// any word or part of a word, because a person who asks gets weak hits, too.
func (a *Answers) findActive(ctx context.Context, p daemonapi.FindParams) ([]memory.Hit, error) {
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return nil, err
	}
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
	if len(hits) == 0 && p.Text != "" {
		hits = listed(p, index.Memories())
	}
	return a.factsFirst(ctx, hits)
}

// factsFirst drops superseded facts, and moves the other facts written by a model to the front.
func (a *Answers) factsFirst(ctx context.Context, hits []memory.Hit) ([]memory.Hit, error) {
	var ids []string
	for _, hit := range hits {
		if hit.Memory.IsFact() {
			ids = append(ids, hit.Memory.ID)
		}
	}
	if len(ids) == 0 {
		return hits, nil
	}
	corrected, err := a.corrected(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h memory.Hit) bool { return corrected[h.Memory.ID] != "" })
	slices.SortStableFunc(hits, func(x, y memory.Hit) int { return memory.TrueFirst(x.Memory.IsFact(), y.Memory.IsFact()) })
	return hits, nil
}

// corrected maps the ids of superseded memories to the ids of the memories that superseded them.
func (a *Answers) corrected(ctx context.Context, ids []string) (map[string]string, error) {
	by := map[string]string{}
	for some := range slices.Chunk(ids, 1000) {
		rows, err := a.Store.Rows(ctx, memory.WithIDs(some))
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.SupersededBy != "" {
				by[row.Memory.ID] = row.SupersededBy
			}
		}
	}
	return by, nil
}

func bestFirst(x, y memory.Hit) int {
	return cmp.Or(cmp.Compare(y.Score, x.Score), y.Memory.LastSeenAt.Compare(x.Memory.LastSeenAt), cmp.Compare(x.Memory.ID, y.Memory.ID))
}

// listed returns the memories that contain a word of the text or name one of the files, the most matches first.
func listed(p daemonapi.FindParams, all []memory.Memory) []memory.Hit {
	words, stems := strings.Fields(strings.ToLower(p.Text)), stemsOf(p.Text)
	hits := []memory.Hit{}
	for _, m := range all {
		if len(p.Kinds) > 0 && !slices.Contains(p.Kinds, m.Kind) {
			continue
		}
		text, score := strings.ToLower(m.Content+"\n"+m.Detail), 0.0
		for _, word := range words {
			if holds(text, word) {
				score++
			}
		}
		for _, file := range p.Files {
			if slices.Contains(m.Files, file) {
				score++
			}
		}
		if score > 0 || len(words)+len(p.Files) == 0 {
			hits = append(hits, memory.Hit{Memory: m, Score: score, Share: shareOf(stems, text)})
		}
	}
	slices.SortStableFunc(hits, bestFirst)
	return hits[:min(p.Limit, len(hits))]
}

// shareOf returns the share of the stems that occur in a text, 0 to 1. It returns 1 for no stems, because such a
// question has only stop words.
func shareOf(stems map[string]bool, text string) float64 {
	if len(stems) == 0 {
		return 1
	}
	shared := 0.0
	for stem := range stemsOf(text) {
		if stems[stem] {
			shared++
		}
	}
	return shared / float64(len(stems))
}

// shortWord is the length in bytes below which only whole words match: "it" is part of too many words.
const shortWord = 4

// holds reports whether a text contains a word. Of a word with shortWord bytes or more a part of a longer word counts,
// too. Both must be in lower case.
func holds(text, word string) bool {
	if len(word) >= shortWord {
		return strings.Contains(text, word)
	}
	return slices.Contains(language.Plain.List(text), word)
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

// Fetch returns memories by their ids or beginnings of ids, and records them as shown to the session. Ambiguous
// beginnings are in Fetched.Refused.
func (a *Answers) Fetch(ctx context.Context, p daemonapi.FetchParams) (daemonapi.Fetched, error) {
	result := daemonapi.Fetched{Memories: []memory.Memory{}}
	var shown, facts []string
	for _, id := range p.IDs {
		m, err := a.byID(ctx, p.Project, id)
		switch {
		case errors.Is(err, memory.ErrNotFound):
			continue
		case errors.Is(err, memory.ErrInvalid):
			result.Refused = append(result.Refused, daemonapi.Refusal{
				ID:     id,
				Reason: strings.TrimSuffix(err.Error(), ": "+memory.ErrInvalid.Error()),
			})
			continue
		case err != nil:
			return result, err
		}
		result.Memories = append(result.Memories, m)
		if m.ID != m.Session { // false for the summary of a session
			shown = append(shown, m.ID)
		}
		if m.IsFact() {
			facts = append(facts, m.ID)
		}
	}
	var err error
	if result.Superseded, err = a.corrected(ctx, facts); err != nil {
		return result, err
	}
	a.Sessions.Record(session.Conversation{Session: p.Session}, fetched, shown)
	a.Sessions.Recalled(p.Session, shown, a.Now().UTC())
	return result, nil
}

// leastSessionID is the minimum number of bytes with which a session's id can be abbreviated. A start shows twice as
// many.
const leastSessionID = 6

// summaryOf returns the session whose id is id or begins with it, as a memory: starts and answers show one line of
// it. It fails with memory.ErrNotFound if there is none, and with memory.ErrInvalid if several match.
func (a *Answers) summaryOf(ctx context.Context, project, id string) (memory.Memory, error) {
	if len(id) < leastSessionID {
		return memory.Memory{}, fmt.Errorf("no memory of this project begins with %q; to name a session, give at least %d digits of its id: %w", id, leastSessionID, memory.ErrNotFound)
	}
	found, err := memory.SessionsNamed(ctx, a.Store, project, id)
	switch {
	case err != nil:
		return memory.Memory{}, err
	case len(found) == 0:
		return memory.Memory{}, fmt.Errorf("there is no memory and no session %.60q in this project: %w", id, memory.ErrNotFound)
	case len(found) > 1:
		return memory.Memory{}, fmt.Errorf("several sessions begin with %s: give more of the id: %w", id, memory.ErrInvalid)
	}
	record, err := memory.RecordOf(ctx, a.Store, found[0].ID)
	return ofSession(record), err
}
