package recallset

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// depth is the number of hits examined per query. Sessions and MRR need more than ten.
const depth = 100

// entry returns the memory on line i as if a person had asked to keep it. All memories of a session have the
// session's start as their time; i keeps them in order.
func (m Memory) entry(i int) recall.Entry {
	at := m.CreatedAt.Add(time.Duration(i) * time.Millisecond)
	kind := memory.Kind(m.Kind)
	if kind == "" {
		kind = memory.KindNote
	}
	return recall.Entry{
		Memory: memory.Memory{
			ID: m.ID, Project: "set", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: kind,
			Status: memory.StatusActive, Content: m.Content, Importance: 0.5, CreatedAt: at, LastSeenAt: at,
			Session: m.Session, Source: memory.Source(m.Source), Files: m.Files, Command: m.Command,
		},
		SupersededBy: m.SupersededBy, Offered: true,
	}
}

// Index returns an index of the memories of a set.
func (s Set) Index(w recall.Weights) *recall.Index {
	x := recall.NewIndex(w)
	for i, m := range s.Memories {
		x.Put(m.entry(i))
	}
	return x
}

// Measure asks each query of the set twice, as a question and as a prompt, at its time or an hour after the last
// memory.
func (s Set) Measure(w recall.Weights, tally *Tally) {
	sessions := s.Sessions()
	s.visit(w, func(x *recall.Index, q Query, now time.Time) {
		var answer Answer
		for _, h := range x.Recall(recall.Query{Text: q.Text, Limit: depth}) {
			if h.Memory.Session != q.Session || q.Session == "" {
				answer.IDs = append(answer.IDs, h.Memory.ID)
			}
		}
		answer.AsPrompt = isGiven(x, q.Text)
		tally.Add(sessions, q, answer)
	})
}

// isGiven reports whether a prompt gets any memory.
func isGiven(x *recall.Index, text string) bool { return len(x.Prompt(text, false, 1)) > 0 }

// visit calls ask for each query, with an index that has only the memories before the query's time, or all if the set
// has no times.
func (s Set) visit(w recall.Weights, ask func(x *recall.Index, q Query, now time.Time)) {
	if len(s.Queries) == 0 || s.Queries[0].AsOf.IsZero() {
		x, now := s.Index(w), s.Latest().Add(time.Hour)
		for _, q := range s.Queries {
			ask(x, q, now)
		}
		return
	}
	x, next := recall.NewIndex(w), 0
	for _, q := range s.Queries {
		for ; next < len(s.Memories) && s.Memories[next].CreatedAt.Before(q.AsOf); next++ {
			x.Put(s.Memories[next].entry(next))
		}
		ask(x, q, q.AsOf)
	}
}

// MeasureAll measures all sets together.
func MeasureAll(sets []Set, w recall.Weights) Report {
	var tally Tally
	for _, s := range sets {
		s.Measure(w, &tally)
	}
	return tally.Report()
}
