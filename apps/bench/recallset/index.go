package recallset

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// depth is how far an answer is looked at: sessions and MRR need more than the
// first ten.
const depth = 100

// Index puts the memories of a set into an index of recall.
func (s Set) Index(w recall.Weights) *recall.Index {
	x := recall.NewIndex(w)
	for i, m := range s.Memories {
		x.Put(m.entry(i))
	}
	return x
}

// entry is the memory on line i. Where the memories of a session all carry its
// start, the line says which came first.
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
		},
		Session: m.Session, Files: m.Files, Command: m.Command, SupersededBy: m.SupersededBy,
	}
}

// Measure asks an index all queries of the set, an hour after its last memory. What
// is near them is known already, if meaning is not nil.
func (s Set) Measure(x *recall.Index, meaning *Meaning, tally *Tally) {
	sessions := s.Sessions()
	now := s.Latest().Add(time.Hour)
	for _, q := range s.Queries {
		start := time.Now()
		hits := x.Recall(recall.Query{Text: q.Text, Now: now, Limit: depth, Near: meaning.near(q.Text)})
		answer := Answer{Took: time.Since(start)}
		for _, h := range hits {
			answer.IDs = append(answer.IDs, h.Memory.ID)
		}
		tally.Add(sessions, q, answer)
	}
}
