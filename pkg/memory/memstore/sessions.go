package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Projects implements storetest.Store.
func (s *Store) Projects(context.Context) ([]memory.ProjectHolding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []memory.ProjectHolding{}
	for p := range all[memory.ProjectRow](s.tables, "project") {
		found = append(found, memory.ProjectHolding{Project: p.Project, MergedInto: p.MergedInto})
	}
	slices.SortFunc(found, func(a, b memory.ProjectHolding) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt), cmp.Compare(a.Key, b.Key))
	})
	return found, nil
}

// Stats implements storetest.Store.
func (s *Store) Stats(_ context.Context, project string) (memory.Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := func(table string) (n int) {
		of, _ := memory.RowTypeIn(table)
		for _, row := range s.tables[table] {
			if at, isMemory := row.(*memory.Row); isMemory && project != "" {
				row = *at
			}
			if project == "" || of.Subject(row).Project == project {
				n++
			}
		}
		return n
	}
	stats := memory.Stats{Memories: count("memory"), Sessions: count("session"), Prompts: count("prompt")}
	if project == "" {
		stats.Projects, stats.Files, stats.Sightings = count("project"), count("file"), count("seen_in")
		stats.SessionEvents, stats.Runs = count("session_event"), count("maintenance_run")
	}
	return stats, nil
}

// Sessions implements storetest.Store.
func (s *Store) Sessions(_ context.Context, q memory.SessionQuery) ([]memory.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keep func(memory.Session) bool
	limit, isCounted := 0, false
	switch q := q.(type) {
	case memory.SessionIDs:
		return slices.Collect(maps.Values(among[memory.Session](s.tables, "session", q))), nil
	case memory.Silent:
		keep = func(one memory.Session) bool { return !one.State.Over() && one.LastEventAt.Before(q.Since) }
		limit = q.Limit
	case memory.Summarised:
		keep = func(one memory.Session) bool {
			return one.Project == q.Project && one.State.Over() && one.Summary.Text != ""
		}
		limit = q.Limit
	case memory.LastSessions:
		keep = func(one memory.Session) bool { return q.Project == "" || one.Project == q.Project }
		limit, isCounted = q.Limit, q.Counted
	}
	found := []memory.Session{}
	for one := range all[memory.Session](s.tables, "session") {
		if keep(one) {
			found = append(found, one)
		}
	}
	found = memory.Newest(found, most(limit))
	for i := range found {
		if isCounted {
			found[i].PromptCount = len(about[memory.Prompt](s, "prompt", found[i].ID))
			found[i].NotificationCount = len(slices.DeleteFunc(about[memory.SessionEvent](s, "session_event", found[i].ID),
				func(e memory.SessionEvent) bool { return e.Kind != memory.EventNotified }))
		}
	}
	return found, nil
}

// SessionRecords implements storetest.Store.
func (s *Store) SessionRecords(_ context.Context, ids []string) (records []memory.SessionRecord, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if session, isThere := get[memory.Session](s.tables, "session", id); isThere {
			records = append(records, s.sessionRecord(session))
		}
	}
	return records, nil
}

// Conversations implements memory.ConversationReader.
func (s *Store) Conversations(_ context.Context, project string) (records []memory.SessionRecord, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range all[memory.Session](s.tables, "session") {
		if one.Project == project {
			record := s.sessionRecord(one)
			record.Seen = nil
			records = append(records, record)
		}
	}
	return records, nil
}

func (s *Store) sessionRecord(session memory.Session) memory.SessionRecord {
	record := memory.SessionRecord{
		Session:       session,
		Prompts:       oldestFirst(about[memory.Prompt](s, "prompt", session.ID), func(p memory.Prompt) (time.Time, string) { return p.At, p.ID }),
		SessionEvents: oldestFirst(about[memory.SessionEvent](s, "session_event", session.ID), func(e memory.SessionEvent) (time.Time, string) { return e.At, e.ID }),
	}
	record.Session.PromptCount = len(record.Prompts)
	for i := range record.Prompts {
		record.Prompts[i].Number = i + 1
	}
	for _, sighting := range oldestFirst(about[memory.Sighting](s, "seen_in", session.ID), sightingOrder) {
		if row := s.tables.memory(sighting.Memory); row != nil {
			record.Seen = append(record.Seen, memory.Seen{ID: sighting.ID, Memory: row.Memory, At: sighting.At})
		}
	}
	return record
}

// Injections implements storetest.Store.
func (s *Store) Injections(_ context.Context, session string, from, until time.Time) ([]memory.Injection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return having(s.tables, "injected_in", func(i memory.Injection) bool {
		return i.Session == session && !i.At.Before(from) && (until.IsZero() || i.At.Before(until))
	}, injectionOrder), nil
}

// History implements storetest.Store.
func (s *Store) History(_ context.Context, id string) (memory.History, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := memory.History{
		Seen:     having(s.tables, "seen_in", func(one memory.Sighting) bool { return one.Memory == id }, sightingOrder),
		Injected: having(s.tables, "injected_in", func(i memory.Injection) bool { return i.Memory == id }, injectionOrder),
		Changes:  []memory.ChangeRecord{},
	}
	for run := range all[memory.Run](s.tables, "maintenance_run") {
		for _, a := range run.Actions {
			if a.Memory == id {
				h.Changes = append(h.Changes, memory.ChangeRecord{Run: run.ID, Job: run.Job, By: run.Trigger, Reason: a.Reason, At: run.StartedAt})
			}
		}
	}
	oldestFirst(h.Changes, func(c memory.ChangeRecord) (time.Time, string) { return c.At, c.Run })
	return h, nil
}
