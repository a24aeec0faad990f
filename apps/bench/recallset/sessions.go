package recallset

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// The files of a folder of labelled real sessions.
const (
	factsFile    = "facts.jsonl"
	sessionQuery = "queries.jsonl"
)

// LoadSessions makes a set of a folder of labelled real sessions: the labelled facts are
// its memories, as if the rules had kept exactly these, and the prompts and questions its
// queries. A prompt that no earlier statement can help, and that need not be left alone
// either, is left out.
func LoadSessions(dir string) (Set, error) {
	facts, err := ReadLines[struct {
		ID, Session, By, Quote string
		Time                   time.Time
	}](filepath.Join(dir, factsFile))
	if err != nil {
		return Set{}, err
	}
	queries, err := ReadLines[struct {
		ID, Session, Kind, Prompt string
		Time                      time.Time
		Gold                      []string
		Silent                    bool
	}](filepath.Join(dir, sessionQuery))
	if err != nil {
		return Set{}, err
	}
	set := Set{Name: filepath.Base(dir)}
	for _, f := range facts {
		set.Memories = append(set.Memories, Memory{ID: f.ID, Session: f.Session, CreatedAt: f.Time, Content: f.Quote, Source: f.By})
	}
	slices.SortStableFunc(set.Memories, func(a, b Memory) int { return a.CreatedAt.Compare(b.CreatedAt) })
	byID := map[string]Memory{}
	for _, m := range set.Memories {
		byID[m.ID] = m
	}
	for _, q := range queries {
		known := slices.DeleteFunc(slices.Clone(q.Gold), func(id string) bool {
			return !byID[id].CreatedAt.Before(q.Time) || byID[id].Session == q.Session
		})
		if q.Kind == "start" || len(known) == 0 && !q.Silent {
			continue
		}
		set.Queries = append(set.Queries, Query{
			ID: q.ID, Text: q.Prompt, Evidence: known, Category: Category(q.Kind), AsOf: q.Time, Session: q.Session,
		})
	}
	slices.SortStableFunc(set.Queries, func(a, b Query) int { return a.AsOf.Compare(b.AsOf) })
	if err := set.validate(dir); err != nil {
		return Set{}, fmt.Errorf("load the sessions of %s: %w", dir, err)
	}
	return set, nil
}
