package briefing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Queries that people and models ask themselves, through the MCP server or the CLI.

// Find ranks the memories that answer a question. Unlike Recall it includes what the
// session was given: the question was asked on purpose.
func (b *Briefing) Find(ctx context.Context, p agentapi.FindParams) ([]memory.Hit, error) {
	p.Limit = min(max(p.Limit, 1), mostFound)
	if p.Archived {
		return b.findListed(ctx, p, memory.StatusArchived)
	}
	hits, err := b.findActive(ctx, p)
	if err != nil {
		return nil, err
	}
	records, err := b.findRecords(ctx, p)
	for _, record := range records { // a failure that maintenance turned into a fact is in both
		if !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Memory.ID == record.Memory.ID }) {
			hits = append(hits, record)
		}
	}
	return hits[:min(p.Limit, len(hits))], err
}

// findActive queries the index, which returns nothing without a good match. An explicit
// question then gets weak hits too: memories with any of its words, including stop
// words and parts of words, and failures, which the index does not hold.
func (b *Briefing) findActive(ctx context.Context, p agentapi.FindParams) ([]memory.Hit, error) {
	index, err := b.index(ctx, p.Project)
	if err != nil {
		return nil, err
	}
	hits := []memory.Hit{}
	for _, hit := range index.Recall(b.findQuery(ctx, p)) {
		hits = append(hits, memory.Hit{Memory: b.count(hit.Memory), Score: hit.Score})
	}
	if len(hits) > 0 || p.Text == "" {
		return hits, nil
	}
	if len(p.Kinds) == 0 {
		p.Kinds = memory.SearchableKinds()
	}
	return b.findListed(ctx, p, memory.StatusActive)
}

func (b *Briefing) findQuery(ctx context.Context, p agentapi.FindParams) recall.Query {
	return recall.Query{
		Text: p.Text, Session: p.Session, Now: b.Now(), Files: p.Files, Kinds: p.Kinds, Limit: p.Limit,
		Near: b.near(ctx, p.Project, p.Text),
	}
}

// findRecords lists records of sessions' actions, such as failures, if their kind is
// requested: recall never offers them.
func (b *Briefing) findRecords(ctx context.Context, p agentapi.FindParams) ([]memory.Hit, error) {
	p.Kinds = slices.DeleteFunc(slices.Clone(p.Kinds), func(k memory.Kind) bool { return k.Searchable() && k != memory.KindFailure })
	if len(p.Kinds) == 0 {
		return nil, nil
	}
	return b.findListed(ctx, p, memory.StatusActive)
}

// findListed lists memories of a status that the index does not hold, those with the
// most words of the text first. Such requests are rare.
func (b *Briefing) findListed(ctx context.Context, p agentapi.FindParams, status memory.Status) ([]memory.Hit, error) {
	var all []memory.Memory
	var err error
	if status == memory.StatusActive { // most of what is active is a record, which a page would be full of
		filter := memory.Filter{Project: p.Project, Kinds: p.Kinds, Statuses: []memory.Status{status}, Limit: mostListedThrough}
		all, err = b.ofProjectAndUser(ctx, filter)
	} else {
		all, err = b.latest(ctx, p.Project, status, p.Kinds)
	}
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(p.Text))
	hits := []memory.Hit{}
	for _, m := range all {
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
			hits = append(hits, memory.Hit{Memory: b.count(m), Score: score})
		}
	}
	slices.SortStableFunc(hits, func(x, y memory.Hit) int {
		if x.Score != y.Score {
			return int(y.Score - x.Score)
		}
		return y.Memory.LastSeenAt.Compare(x.Memory.LastSeenAt)
	})
	return hits[:min(p.Limit, len(hits))], nil
}

// shortWord is the length in bytes below which a word must match as a whole: "it" is
// part of too many words.
const shortWord = 4

// holds says whether a text contains a word, or contains it as a part of a word. Both
// are in lower case.
func holds(text, word string) bool {
	if len(word) >= shortWord {
		return strings.Contains(text, word)
	}
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), word)
}

// Get returns the memories in the order of the given ids.
func (b *Briefing) Get(ctx context.Context, p agentapi.GetParams) ([]memory.Memory, error) {
	all := []memory.Memory{}
	for _, id := range p.IDs {
		m, err := memory.Visible(ctx, b.Store, p.Project, id)
		if errors.Is(err, memory.ErrNotFound) {
			m, err = b.summaryOf(ctx, p.Project, id)
		}
		if errors.Is(err, memory.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, b.count(m))
	}
	b.look(ctx, p.Root, &all)
	return all, nil
}

// Around returns the memories around a memory or a time, the oldest first.
func (b *Briefing) Around(ctx context.Context, p agentapi.AroundParams) ([]memory.Memory, error) {
	if p.ID != "" {
		m, err := memory.Visible(ctx, b.Store, p.Project, p.ID)
		if err != nil {
			return nil, err
		}
		p.At = m.LastSeenAt
	}
	found, err := b.Store.Around(ctx, memory.AroundQuery{Project: p.Project, At: p.At, Before: p.Before, After: p.After})
	if err != nil {
		return nil, err
	}
	all := []memory.Memory{}
	for _, m := range found {
		all = append(all, b.count(m))
	}
	return all, nil
}
