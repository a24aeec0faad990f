package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Projects implements storetest.Store.
func (s *Store) Projects(context.Context) ([]memory.ProjectHolding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []memory.ProjectHolding{}
	for _, p := range s.projects {
		p.Name = cmp.Or(p.GivenName, p.Name)
		all = append(all, memory.ProjectHolding{Project: p.Project, MergedInto: p.MergedInto})
	}
	slices.SortFunc(all, func(a, b memory.ProjectHolding) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt), cmp.Compare(a.Key, b.Key))
	})
	return all, nil
}

// Stats implements storetest.Store.
func (s *Store) Stats(_ context.Context, project string) (memory.Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if project != "" {
		return s.holding(project), nil
	}
	return memory.Stats{
		Memories: len(s.memories), Sessions: len(s.sessions), Prompts: len(s.prompts), Projects: len(s.projects),
		Files: len(s.files), Sightings: len(s.sightings), SessionEvents: len(s.sessionEvents), Runs: len(s.runs),
	}, nil
}

func (s *Store) holding(project string) memory.Stats {
	var h memory.Stats
	for _, row := range s.memories {
		if row.Memory.Project == project {
			h.Memories++
		}
	}
	for _, one := range s.sessions {
		if one.Project == project {
			h.Sessions++
		}
	}
	for _, p := range s.prompts {
		if p.Project == project {
			h.Prompts++
		}
	}
	return h
}

func (s *Store) move(from, into string) {
	for _, row := range s.memories {
		if row.Memory.Project == from {
			row.Memory.Project, row.Memory.Fingerprints, row.UsedOn = into, nil, -1
			if row.Home == from {
				row.Home = into
			}
			s.touch(row)
		}
	}
	for id, d := range s.days {
		if d.Project == from {
			delete(s.days, id)
			s.apply(memory.RowChange{After: memory.ActiveDay{Project: into, Day: d.Day}})
			s.index.days = nil
		}
	}
	for _, of := range memory.RowTypes() {
		if _, isMoved := of.In(of.Zero(), into); !isMoved || of.Table == "memory" || of.Table == "active_day" {
			continue
		}
		rows := s.table(of.Table)
		rows.each(func(id string, row any) {
			if of.Subject(row).Project == from {
				row, _ = of.In(row, into)
				rows.put(id, row)
			}
		})
	}
}

// purge deletes the rows of a project, or all for "".
func (s *Store) purge(key string) {
	isOurs := func(project string) bool { return project == key || key == "" }
	if key == "" {
		clear(s.runs)
	}
	memories, sessions := map[string]bool{}, map[string]bool{}
	goneMemory := func(id string) bool { return memories[id] }
	goneSession := func(id string) bool { return sessions[id] }
	maps.DeleteFunc(s.memories, func(id string, row *memory.Row) bool { memories[id] = isOurs(row.Memory.Project); return memories[id] })
	maps.DeleteFunc(s.sessions, func(id string, one memory.Session) bool { sessions[id] = isOurs(one.Project); return sessions[id] })
	for id, spend := range s.spend {
		if goneSession(spend.Session) {
			spend.Session = ""
			s.spend[id] = spend
		}
	}
	for _, of := range memory.RowTypes() {
		if of.Table == "memory" || of.Table == "maintenance_run" {
			continue
		}
		rows := s.table(of.Table)
		rows.each(func(id string, row any) {
			if about := of.Subject(row); isOurs(about.Project) || goneSession(about.Session) || slices.ContainsFunc(about.Memories, goneMemory) {
				rows.drop(id)
			}
		})
	}
	for id, run := range s.runs {
		run.Actions = slices.DeleteFunc(slices.Clone(run.Actions), func(a memory.Action) bool {
			return goneMemory(a.Memory) || a.Row != nil && isOurs(a.Row.Memory.Project)
		})
		s.runs[id] = run
	}
	s.reindex()
}

// History implements storetest.Store.
func (s *Store) History(_ context.Context, id string) (memory.History, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := memory.History{Seen: []memory.Sighting{}, Injected: []memory.Injection{}, Changes: []memory.ChangeRecord{}}
	for _, one := range s.sightings {
		if one.Memory == id {
			h.Seen = append(h.Seen, one)
		}
	}
	for _, i := range s.injected {
		if i.Memory == id {
			h.Injected = append(h.Injected, i)
		}
	}
	for _, run := range s.runs {
		for _, a := range run.Actions {
			if a.Memory == id {
				h.Changes = append(h.Changes, memory.ChangeRecord{Run: run.ID, Job: run.Job, By: run.Trigger, Reason: a.Reason, At: run.StartedAt})
			}
		}
	}
	slices.SortFunc(h.Seen, func(a, b memory.Sighting) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
	slices.SortFunc(h.Injected, func(a, b memory.Injection) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
	slices.SortFunc(h.Changes, func(a, b memory.ChangeRecord) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Run, b.Run)) })
	return h, nil
}
