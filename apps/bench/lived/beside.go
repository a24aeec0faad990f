package lived

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// besideSession is a session of another person, of which only the recorded facts are stored.
type besideSession struct {
	id    string
	at    time.Time
	facts []recordedFact
}

// loadBeside reads the recorded facts of other people, answers.jsonl in each folder, without facts that a later fact supersedes
// or ends. The sessions of each folder get the end times of sessions of f, evenly chosen.
func loadBeside(f *Folder, dirs []string) (all []besideSession, err error) {
	for _, dir := range dirs {
		recorded, err := recallset.ReadLines[recordedSession](filepath.Join(dir, "answers.jsonl"))
		if err != nil {
			return nil, err
		}
		over := map[string]bool{}
		for _, s := range recorded {
			for _, fact := range s.Facts {
				over[fact.Supersedes] = true
				for _, id := range fact.Ends {
					over[id] = true
				}
			}
		}
		recorded = slices.DeleteFunc(recorded, func(s recordedSession) bool { return len(s.Facts) == 0 })
		for i, s := range recorded {
			all = append(all, besideSession{
				id: uuid.NewSHA1(uuid.NameSpaceURL, []byte("beside "+s.Session)).String(),
				at: f.transcripts[i*len(f.transcripts)/len(recorded)].ended,
				facts: slices.DeleteFunc(s.Facts, func(fact recordedFact) bool {
					return over[fact.ID]
				}),
			})
		}
	}
	slices.SortStableFunc(all, func(a, b besideSession) int { return a.at.Compare(b.at) })
	return all, nil
}

// besideUntil stores the facts of the other people's sessions that ended by the time until.
func (h *home) besideUntil(ctx context.Context, until time.Time) error {
	for ; len(h.beside) > 0 && !h.beside[0].at.After(until); h.beside = h.beside[1:] {
		s := h.beside[0]
		found := memory.Distilled{Part: "all", Model: "recorded"}
		for _, f := range s.facts {
			kind := memory.Kind(f.Kind)
			if !slices.Contains(memory.Kinds(), kind) {
				kind = memory.KindNote
			}
			found.Facts = append(found.Facts, memory.DistilledFact{
				Text: f.Text, Title: f.Title, Area: f.Area, Kind: kind, Called: kind, Quotes: f.Quotes, At: s.at, Cues: f.Cues,
				Weight: cmp.Or(f.Importance, 2), Everywhere: f.Everywhere,
			})
		}
		event := memory.Event{
			ID: memory.NewDistilledID(s.id, found.Part), At: s.at, Kind: memory.EventDistilled, Session: s.id, Dir: h.project.Dir,
			Project: memory.Project{Key: h.project.Key, Name: h.project.Name, Root: h.project.Root}, Distilled: &found,
		}
		if _, err := h.daemon.Intake.Import(ctx, daemonapi.ImportParams{Events: []memory.Event{event}}); err != nil {
			return fmt.Errorf("store the facts of session %s of other people: %w", s.id, err)
		}
	}
	return nil
}
