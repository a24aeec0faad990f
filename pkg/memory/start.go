package memory

import (
	"context"
	"slices"
)

// StartQuery asks for the context of a starting session.
type StartQuery struct {
	Project string
	Session string // the starting session itself, whose own summary is left out
	// Limit is the maximum number of rows of each section.
	Limit int
}

// StartContext holds the rows of each section, the best first.
type StartContext struct {
	Todos       []Memory  // of the project and of the user
	Conventions []Memory  // conventions, corrections, decisions and notes of both, and preferences of the project
	Summaries   []Session // without their prompt counts
	Preferences []Memory  // of the user
	// Facts are all memories with IsFact, of any kind. The limit applies to each kind.
	Facts []Memory
	// Areas are the areas of all facts, that of the newest first; FactIDs are the shortest
	// unique ids of Facts. ReadStart does not set them.
	Areas   []Area
	FactIDs map[string]string
	// Asks has the model asked to store what lasts of what the user said in passing.
	Asks bool
}

// ReadStart returns the memories that a session of a project may start with, without superseded ones.
func ReadStart(ctx context.Context, store interface {
	RowReader
	SessionLister
}, q StartQuery,
) (StartContext, error) {
	var start StartContext
	rows, err := store.Rows(ctx, Start{Project: q.Project, Limit: q.Limit})
	if err != nil {
		return start, err
	}
	// One more than the limit, in case the session itself is among them.
	sessions, err := store.Sessions(ctx, Summarised{Project: q.Project, Limit: q.Limit + 1})
	if err != nil {
		return start, err
	}
	for _, s := range sessions {
		if s.ID != q.Session && len(start.Summaries) < q.Limit {
			start.Summaries = append(start.Summaries, s)
		}
	}
	for _, m := range Uncorrected(rows) {
		if section := start.section(m); section != nil {
			*section = append(*section, m)
		}
	}
	for _, section := range []*[]Memory{&start.Todos, &start.Conventions, &start.Preferences} {
		*section = OwnFirst(*section, q.Limit)
	}
	start.Facts = Best(start.Facts, len(start.Facts))
	return start, nil
}

// section returns the section of a start for a memory; nil: none.
func (c *StartContext) section(m Memory) *[]Memory {
	switch {
	case m.IsFact():
		return &c.Facts
	case m.Kind == KindTodo:
		return &c.Todos
	case m.Kind == KindPreference && m.Project == "":
		return &c.Preferences
	case slices.Contains([]Kind{KindConvention, KindCorrection, KindDecision, KindNote, KindPreference}, m.Kind):
		return &c.Conventions
	}
	return nil
}

// Area is a part of a project or of the work, with the number of its facts that were left out
// in favour of better ones.
type Area struct {
	Name    string
	LeftOut int
}
