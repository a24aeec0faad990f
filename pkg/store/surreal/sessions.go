package surreal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// sessionCountsSQL counts for one session at a time, because the engine (3.0.2) reads the whole table for "session IN $sessions".
const sessionCountsSQL = `
RETURN $sessions.map(|$s| count(` + sessionPromptsSQL + `))`

const sessionPromptsSQL = "SELECT VALUE id FROM prompt WHERE session = $s"

// sessionsOfProjectSQL has two statements, so that each can use the index session_recent: it orders by all fields of the index.
var sessionsOfProjectSQL = func() string {
	const of = " FROM session WHERE project = $project AND summarised = %t ORDER BY project, summarised, recency LIMIT $limit;"
	return fmt.Sprintf("SELECT "+sessionCodec.all+", summarised, recency"+of+"SELECT "+sessionCodec.all+
		", summarised, recency"+of, true, false)
}()

// lastSessions reads the last sessions of a project, or of all projects for "", without counts.
func (s *Store) lastSessions(ctx context.Context, project string, limit int) ([]memory.Session, error) {
	if project != "" {
		return s.lastOfProject(ctx, project, limit)
	}
	// The newest sessions of each project are read by the index, because the engine would sort the whole table.
	projects, err := s.Projects(ctx)
	if err != nil {
		return nil, err
	}
	newest, err := s.lastOfProject(ctx, "", limit)
	for _, one := range projects {
		if err != nil {
			return nil, err
		}
		var its []memory.Session
		its, err = s.lastOfProject(ctx, one.Key, limit)
		newest = memory.Newest(append(newest, its...), limit)
	}
	return newest, err
}

// lastOfProject reads the last sessions with a project key, which may be empty.
func (s *Store) lastOfProject(ctx context.Context, key string, limit int) ([]memory.Session, error) {
	sessions, err := list(ctx, s, sessionCodec, "list sessions", sessionsOfProjectSQL,
		map[string]any{"project": key, "limit": limit})
	return memory.Newest(sessions, limit), err
}

var idleSQL = "SELECT " + briefFields + " FROM session WHERE state = 'active' AND last_event_at < $since LIMIT $limit"

func (s *Store) Sessions(ctx context.Context, q memory.SessionQuery) (sessions []memory.Session, err error) {
	switch q := q.(type) {
	case memory.SessionIDs:
		return list(ctx, s, sessionCodec, fmt.Sprintf("read %d sessions", len(q)),
			"SELECT "+sessionCodec.all+" FROM $ids WHERE id != NONE", map[string]any{"ids": recordIDs("session", q)})
	case memory.OfPrompts:
		return list(ctx, s, sessionCodec, fmt.Sprintf("read the sessions of %d prompts", len(q)),
			"SELECT "+sessionCodec.all+" FROM array::distinct((SELECT VALUE session FROM $ids WHERE id != NONE)) WHERE id != NONE",
			map[string]any{"ids": recordIDs("prompt", q)})
	case memory.IdleSessions:
		return list(ctx, s, sessionCodec, fmt.Sprintf("find sessions silent since %s", q.Since), idleSQL,
			map[string]any{"since": at(q.Since), "limit": most(q.Limit)})
	case memory.Summarised:
		return list(ctx, s, sessionCodec, "list the summaries of "+q.Project, summarisedSQL,
			map[string]any{"project": q.Project, "limit": most(q.Limit)})
	case memory.LastSessions:
		sessions, err = s.lastSessions(ctx, q.Project, most(q.Limit))
		if err == nil && len(sessions) > 0 && q.Counted {
			err = s.countPrompts(ctx, sessions)
		}
		return sessions, err
	}
	panic(fmt.Sprintf("there is no query of the type %T", q))
}

var summarisedSQL = "SELECT " + sessionCodec.all +
	", summarised, recency FROM session WHERE project = $project AND summarised = true ORDER BY project, summarised, recency LIMIT $limit"

func (s *Store) countPrompts(ctx context.Context, sessions []memory.Session) error {
	ids := memory.Each(sessions, func(one memory.Session) string { return one.ID })
	counts, err := value[[]int](ctx, s, 0, "count the prompts of sessions", sessionCountsSQL, map[string]any{"sessions": recordIDs("session", ids)})
	for i, count := range counts { // the counts have the order of the ids
		sessions[i].PromptCount = count
	}
	return err
}

var injectionsSQL = "SELECT " + injectionCodec.all +
	" FROM injected_in WHERE out = $session_id AND at >= $from ORDER BY at, id"

// injections reads the injections of a session. In the index (3.0.2) a time without nanoseconds comes after the other
// times of its second, so the query begins a moment earlier and the rest is filtered here.
func (s *Store) injections(ctx context.Context, q memory.InjectedInto) ([]memory.SessionRecord, error) {
	found, err := list(ctx, s, injectionCodec, "read the injections of session "+q.Session, injectionsSQL, map[string]any{
		"session_id": recordID("session", q.Session), "from": at(q.From.Truncate(time.Second).Add(-1)),
	})
	found = slices.DeleteFunc(found, func(i memory.Injection) bool { return i.At.Before(q.From) })
	return []memory.SessionRecord{{Session: memory.Session{ID: q.Session}, Injected: found}}, err
}

// saidSQL reads many sessions in one round trip. It looks up the ids of each session's rows separately, because the engine (3.0.2) reads
// the whole table for "session IN $ids". To look up rows in place of ids would take three times as long. seenSQL reads the
// sightings and, apart from them, each memory once, because several sessions may have seen the same memory.
var (
	saidSQL = `
SELECT ` + sessionCodec.all + ` FROM $ids WHERE id != NONE;
SELECT ` + promptCodec.all + ` FROM $ids.map(|$s| (` + promptsOfSQL + `)).flatten() ORDER BY at, id;
SELECT ` + eventCodec.all + ` FROM $ids.map(|$s| (` + sessionEventsOfSQL + `)).flatten();`
	seenSQL = `
LET $seen = $ids.map(|$s| (` + seenBySQL + `)).flatten();
SELECT ` + sightingCodec.all + ` FROM $seen;
SELECT ` + memoryCodec.all + ` FROM array::distinct($seen.in) WHERE id != NONE;`

	promptsOfSQL       = "SELECT VALUE id FROM prompt WHERE session = $s"
	sessionEventsOfSQL = "SELECT VALUE id FROM event WHERE session = $s"
	seenBySQL          = "SELECT id, in, out, at FROM $s<-seen_in ORDER BY at, id"
)

func (s *Store) Records(ctx context.Context, q memory.RecordQuery) ([]memory.SessionRecord, error) {
	switch q := q.(type) {
	case memory.RecordsOf:
		result, err := s.ask(ctx, fmt.Sprintf("read the records of %d sessions", len(q)), saidSQL+seenSQL,
			map[string]any{"ids": recordIDs("session", q)})
		if err != nil {
			return nil, err
		}
		records, err := recordsOf(result)
		position := make(map[string]int, len(q))
		for i, id := range q {
			position[id] = i
		}
		slices.SortFunc(records, func(a, b memory.SessionRecord) int { return position[a.Session.ID] - position[b.Session.ID] })
		return records, err
	case memory.ProjectRecords:
		result, err := s.ask(ctx, "read what was said in a project", "LET $ids = "+sessionsOfSQL+";"+saidSQL, map[string]any{"project": string(q)})
		if err != nil {
			return nil, err
		}
		return recordsOf(result[1:])
	case memory.InjectedInto:
		return s.injections(ctx, q)
	}
	panic(fmt.Sprintf("there is no query of the type %T", q))
}

// recordsOf joins the results of saidSQL and perhaps of seenSQL.
func recordsOf(result wire.Results) ([]memory.SessionRecord, error) {
	sessions, errSessions := sessionCodec.decode(result, 0)
	prompts, errPrompts := promptCodec.decode(result, 1)
	events, errEvents := eventCodec.decode(result, 2)
	if err := errors.Join(errSessions, errPrompts, errEvents); err != nil {
		return nil, fmt.Errorf("read the records of sessions: %w", err)
	}
	of := make(map[string]*memory.SessionRecord, len(sessions))
	for _, session := range sessions {
		of[session.ID] = &memory.SessionRecord{Session: session}
	}
	for _, p := range prompts {
		if record := of[p.Session]; record != nil {
			p.Number = len(record.Prompts) + 1
			record.Prompts = append(record.Prompts, p)
			record.Session.PromptCount = p.Number
		}
	}
	for _, row := range events {
		if record := of[row.Session]; record != nil {
			record.SessionEvents = append(record.SessionEvents, row.Events...)
		}
	}
	var err error
	if len(result) > 3 {
		err = addSeen(of, result)
	}
	records := make([]memory.SessionRecord, len(sessions))
	for i, session := range sessions {
		records[i] = *of[session.ID]
		records[i].SessionEvents = memory.OfSession(session.ID, records[i].SessionEvents)
	}
	return records, err
}

func addSeen(of map[string]*memory.SessionRecord, result wire.Results) error {
	sightings, errSightings := sightingCodec.decode(result, 4)
	memories, errMemories := memoryCodec.decode(result, 5)
	byID := make(map[string]memory.Memory, len(memories))
	for _, m := range memories {
		byID[m.ID] = m
	}
	for _, sighting := range sightings {
		m, isThere := byID[sighting.Memory]
		if record := of[sighting.Session]; record != nil && isThere {
			record.Seen = append(record.Seen, memory.Seen{ID: sighting.ID, Memory: m, At: sighting.At})
		}
	}
	if err := errors.Join(errSightings, errMemories); err != nil {
		return fmt.Errorf("read the memories of sessions: %w", err)
	}
	return nil
}
