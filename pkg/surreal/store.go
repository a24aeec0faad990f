// Package surreal keeps memories in SurrealDB. It owns every data statement of the product, and decides
// nothing about memories. Its connection is package wire's.
package surreal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// Store is the contract of package storetest on SurrealDB.
type Store struct {
	conn *wire.Conn
	// Rights are the statements that define people's rights in a store that several share; see package schema.
	Rights string
	// amending keeps two changes apart: mem:// and surrealkv:// (3.0.2) acknowledge
	// both of two conflicting commits in 1 to 3 % of cases.
	amending sync.Mutex
}

// NewStore makes a Store of a connection to a database whose schema is up to
// date. The caller closes the connection.
func NewStore(conn *wire.Conn) *Store { return &Store{conn: conn} }

// ingestSQL writes a batch. Rows that are there take only newer values, and then missing
// rows are inserted, so that the order of batches and their repetition do not matter. The
// other way round each update would have to find its row among the transaction's own
// writes, which takes the longer the more there are. (SurrealDB 3.0.2 shows neither ON
// DUPLICATE KEY UPDATE nor UPSERT the row that is there, so the newer-wins rule needs an
// UPDATE.)
const ingestSQL = `
BEGIN;
FOR $row IN $projects {
	UPDATE $row.id SET name = $row.name, root = $row.root, seen_at = $row.seen_at WHERE seen_at < $row.seen_at RETURN NONE;
};
INSERT IGNORE INTO project $projects RETURN NONE;
INSERT IGNORE INTO active_day $days RETURN NONE;
FOR $row IN $files {
	UPDATE $row.id SET seen_at = $row.seen_at WHERE seen_at < $row.seen_at RETURN NONE;
};
INSERT IGNORE INTO file $files RETURN NONE;
INSERT IGNORE INTO prompt $prompts RETURN NONE;
INSERT IGNORE INTO session_event $session_events RETURN NONE;
FOR $row IN $sessions {
	UPDATE $row.id SET
		source = IF $row.source_at > source_at THEN $row.source ELSE source END,
		source_at = time::max([source_at, $row.source_at]),
		end_reason = IF $row.state_at > state_at THEN $row.end_reason ELSE end_reason END,
		ended_at = IF $row.state_at > state_at THEN $row.ended_at ELSE ended_at END,
		state = IF $row.state_at > state_at THEN $row.state ELSE state END,
		state_at = time::max([state_at, $row.state_at]),
		dir = IF $row.last_event_at > last_event_at THEN $row.dir ELSE dir END,
		started_at = time::min([started_at, $row.started_at]),
		last_event_at = time::max([last_event_at, $row.last_event_at])
	RETURN NONE;
};
INSERT IGNORE INTO session $sessions RETURN NONE;
LET $known = SELECT id, status, source, put_away, last_seen_at, merged_into FROM $memory_ids WHERE id != NONE;
FOR $old IN $known {
	LET $row = $memories[record::id($old.id)];
	IF $old.merged_into != '' {
		UPDATE type::record('memory', $old.merged_into) SET last_seen_at = $row.last_seen_at, changed_at = time::nano()
			WHERE last_seen_at < $row.last_seen_at RETURN NONE;
	};
	LET $trust = array::find_index($sources, $row.source) - array::find_index($sources, $old.source);
	LET $newer = $row.last_seen_at > $old.last_seen_at;
	LET $back = $newer AND !$old.put_away AND $old.status IN ['archived', 'forgotten', 'evidence'];
	IF ($trust > 0 OR $row.last_seen_at != $old.last_seen_at) AND !($old.status = 'forgotten' AND $old.put_away) {
		IF $back OR $trust > 0 { -- it is wanted again, or the more trusted sighting has the say
			LET $says = IF $old.status = 'forgotten' { $back } ELSE { $trust > 0 };
			UPDATE $old.id SET
				kind = IF $trust > 0 THEN $row.kind ELSE kind END,
				type = IF $trust > 0 THEN $row.type ELSE type END,
				source = IF $trust > 0 THEN $row.source ELSE source END,
				author = IF $trust > 0 THEN $row.author ELSE author END,
				content = IF $says THEN $row.content ELSE content END,
				token_count = IF $says THEN $row.token_count ELSE token_count END,
				token_encoding = IF $says THEN $row.token_encoding ELSE token_encoding END,
				used_at = IF $back THEN $row.last_seen_at ELSE used_at END,
				used_on = IF $back THEN -1 ELSE used_on END,
				retired_at = IF $back THEN d'1970-01-01T00:00:00Z' ELSE retired_at END,
				status = IF $back AND $row.status = 'quarantined' AND $trust >= 0 THEN 'quarantined'
					ELSE IF $back THEN 'active'
					ELSE IF $old.status IN ['quarantined', 'proposed'] THEN $row.status
					ELSE status END
			RETURN NONE;
		};
		UPDATE $old.id SET
			detail = IF $newer THEN $row.detail ELSE detail END,
			session = IF $newer THEN $row.session ELSE session END,
			fingerprints = IF $newer THEN $row.fingerprints ELSE fingerprints END,
			tags = array::sort(array::union(tags, $row.tags)),
			cues = array::sort(array::union(cues ?? [], $row.cues)),
			everywhere = everywhere OR $row.everywhere,
			files = array::sort(array::union(files, $row.files)),
			created_at = time::min([created_at, $row.created_at]),
			last_seen_at = time::max([last_seen_at, $row.last_seen_at]),
			due_on = 0,
			changed_at = time::nano()
		RETURN NONE;
	};
};
INSERT IGNORE INTO memory object::values(object::remove($memories, $known.map(|$old| record::id($old.id)))) RETURN NONE;
INSERT RELATION IGNORE INTO seen_in $sightings RETURN NONE;
INSERT RELATION IGNORE INTO injected_in $injections RETURN NONE;
UPDATE $user_written SET user_written = true, due_on = 0, changed_at = time::nano() WHERE user_written = false RETURN NONE;
FOR $summary IN $summaries {` + setSummary + ` RETURN NONE;
};
FOR $row IN $derived {
	UPDATE $row.in SET derived_from = array::union(derived_from, [$row.from]), changed_at = time::nano(), due_on = 0
		WHERE $row.from NOT IN derived_from RETURN NONE;
	INSERT RELATION IGNORE INTO derived_from $row.edge RETURN NONE;
};
FOR $row IN $uses {
	IF !record::exists($row.id) {
		INSERT RELATION INTO used_in $row RETURN NONE;
		UPDATE $row.in SET uses += 1, used_at = time::max([used_at, $row.at]), used_on = -1, due_on = 0, changed_at = time::nano()
			RETURN NONE;
	};
};
COMMIT;`

// Ingest implements storetest.Store.
func (s *Store) Ingest(ctx context.Context, b memory.Batch) error {
	err := s.ingest(ctx, b)
	if err != nil && strings.Contains(err.Error(), otherMemory) {
		if b.Sightings, err = s.unknownSightings(ctx, b.Sightings); err == nil {
			err = s.ingest(ctx, b)
		}
	}
	return err
}

// otherMemory is the engine's error about a sighting that is there and shows another
// memory: a relation with other ends is no duplicate to it. Newer rules may make another
// memory of an event; the first one stays.
const otherMemory = "does not match the existing field value"

// unknownSightings leaves out the sightings that are there.
func (s *Store) unknownSightings(ctx context.Context, sightings []memory.Sighting) ([]memory.Sighting, error) {
	ids := make([]any, len(sightings))
	for i, sighting := range sightings {
		ids[i] = recordID("seen_in", sighting.ID)
	}
	result, err := s.conn.ExecIdempotent(ctx, `SELECT VALUE record::id(id) FROM $ids WHERE id != NONE`, map[string]any{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read which sightings are there: %w", err)
	}
	var known []string
	if err := result.Decode(0, &known); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(sightings), func(sighting memory.Sighting) bool { return slices.Contains(known, sighting.ID) }), nil
}

func (s *Store) ingest(ctx context.Context, b memory.Batch) error {
	place, err := s.conn.Place(ctx)
	if err != nil {
		return fmt.Errorf("ingest %d sessions, %d memories: %w", len(b.Sessions), len(b.Memories), domain(err))
	}
	ids, memories := newMemoryRows(b)
	vars := map[string]any{
		"projects":       rows(b.Projects, projectRow),
		"sessions":       rows(b.Sessions, sessionRow),
		"prompts":        rows(b.Prompts, promptRow),
		"memory_ids":     ids,
		"memories":       memories,
		"sources":        texts(memory.Sources()),
		"sightings":      rows(b.Sightings, sightingRow),
		"files":          rows(b.Files, fileRow),
		"session_events": rows(b.SessionEvents, sessionEventRow), "injections": rows(b.Injections, injectionRow),
		"days": rows(b.Days, dayRow), "uses": rows(firstUses(b.Uses), useRow), "user_written": memoryIDs(b.UserWritten),
		"summaries": rows(b.Summaries, summaryRow),
		"derived":   rows(b.Derived, derivationRow),
	}
	sql := ingestSQL
	if place != "" {
		sql, vars["written"] = ingestSQL+writtenSQL, written(b)
	}
	result, err := s.conn.ExecIdempotent(ctx, sql, vars)
	if err == nil && place != "" {
		err = missing(result, written(b))
	}
	if err != nil {
		return fmt.Errorf("ingest %d sessions, %d memories: %w", len(b.Sessions), len(b.Memories), domain(err))
	}
	return nil
}

// written are the ids of the rows of a batch that may not be lost.
func written(b memory.Batch) []models.RecordID {
	var all []models.RecordID
	for _, p := range b.Projects {
		all = append(all, recordID("project", p.Key))
	}
	for _, s := range b.Sessions {
		all = append(all, recordID("session", s.ID))
	}
	for _, p := range b.Prompts {
		all = append(all, recordID("prompt", p.ID))
	}
	for _, e := range b.SessionEvents {
		all = append(all, recordID("session_event", e.ID))
	}
	for _, m := range b.Memories {
		all = append(all, recordID("memory", m.ID))
	}
	for _, s := range b.Sightings {
		all = append(all, recordID("seen_in", s.ID))
	}
	slices.SortFunc(all, func(a, b models.RecordID) int { return strings.Compare(a.String(), b.String()) })
	return slices.CompactFunc(all, func(a, b models.RecordID) bool { return a.String() == b.String() })
}

// Memory implements storetest.Store.
func (s *Store) Memory(ctx context.Context, id string) (memory.Memory, error) {
	found, err := selectMemories(ctx, s.conn,
		"SELECT "+memoryFields+" FROM $id", map[string]any{"id": recordID("memory", id)})
	if err != nil {
		return memory.Memory{}, fmt.Errorf("read memory %s: %w", id, err)
	}
	if len(found) == 0 {
		return memory.Memory{}, fmt.Errorf("read memory %s: %w", id, memory.ErrNotFound)
	}
	return found[0], nil
}

const defaultLimit = 100

// Memories implements storetest.Store.
func (s *Store) Memories(ctx context.Context, f memory.Filter) ([]memory.Memory, error) {
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	where, vars, err := s.condition(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list memories: %w", err)
	}
	vars["limit"] = f.Limit
	found, err := selectMemories(ctx, s.conn, "SELECT "+memoryFields+" FROM memory WHERE "+where+bestFirst, vars)
	if err != nil {
		return nil, fmt.Errorf("list memories: %w", err)
	}
	return found, nil
}

// CountMemories implements storetest.Store.
func (s *Store) CountMemories(ctx context.Context, f memory.Filter) (int, error) {
	where, vars, err := s.condition(ctx, f)
	if err != nil {
		return 0, fmt.Errorf("count memories: %w", err)
	}
	result, err := s.conn.ExecIdempotent(ctx, "RETURN (SELECT count() FROM memory WHERE "+where+" GROUP ALL)[0].count ?? 0", vars)
	if err != nil {
		return 0, fmt.Errorf("count memories: %w", domain(err))
	}
	var count int
	if err := result.Decode(0, &count); err != nil {
		return 0, fmt.Errorf("count memories: %w", err)
	}
	return count, nil
}

// condition is the WHERE clause of a filter.
func (s *Store) condition(ctx context.Context, f memory.Filter) (where string, vars map[string]any, err error) {
	where, vars = "true", map[string]any{}
	if f.Project != "" {
		keys, err := s.keysOf(ctx, f.Project)
		if err != nil {
			return "", nil, err
		}
		where += " AND project IN $projects"
		if vars["projects"] = keys; len(keys) == 1 {
			where, vars = "project = $project", map[string]any{"project": f.Project}
		}
	}
	if f.Scope != "" {
		where += " AND scope = $scope"
		vars["scope"] = string(f.Scope)
	}
	if f.Scope == memory.ScopeUser { // indexes begin with the project
		where += " AND project = ''"
	}
	if len(f.Kinds) > 0 {
		where += " AND kind IN $kinds"
		vars["kinds"] = texts(f.Kinds)
	}
	if len(f.Statuses) > 0 {
		where += " AND status IN $statuses"
		vars["statuses"] = texts(f.Statuses)
	}
	return where, vars, nil
}

const injectedSQL = "SELECT VALUE record::id(in) FROM injected_in WHERE out = $session_id AND at > $after AND subagent = ''"

// Injected implements storetest.Store.
func (s *Store) Injected(ctx context.Context, session string, after time.Time) ([]string, error) {
	result, err := s.conn.ExecIdempotent(ctx, injectedSQL, map[string]any{"session_id": recordID("session", session), "after": at(after)})
	if err != nil {
		return nil, fmt.Errorf("read the injections of session %s: %w", session, domain(err))
	}
	var ids []string
	return ids, result.Decode(0, &ids)
}

const toldInSQL = `
SELECT record::id(id) AS id, record::id(in) AS memory, hook, subagent, at FROM injected_in
	WHERE out = $session_id AND at >= $from AND at < $until ORDER BY at, id`

// ToldIn implements storetest.Store.
func (s *Store) ToldIn(ctx context.Context, session string, from, until time.Time) ([]memory.Injection, error) {
	result, err := s.conn.ExecIdempotent(ctx, toldInSQL, map[string]any{
		"session_id": recordID("session", session), "from": at(from), "until": at(until),
	})
	if err != nil {
		return nil, fmt.Errorf("read the injections of session %s: %w", session, domain(err))
	}
	return decodeEach(result, 0, func(r occasionRecord) memory.Injection {
		return memory.Injection{ID: r.ID, Memory: r.Memory, Session: session, Subagent: r.Subagent, Hook: r.Hook, At: instant(r.At)}
	})
}

// Session implements storetest.Store.
func (s *Store) Session(ctx context.Context, id string) (memory.Session, error) {
	result, err := s.conn.ExecIdempotent(ctx,
		"SELECT "+sessionFields+digestField+promptCount+" FROM $id", map[string]any{"id": recordID("session", id)})
	if err != nil {
		return memory.Session{}, fmt.Errorf("read session %s: %w", id, domain(err))
	}
	found, err := decodeSessions(result, 0)
	if err != nil {
		return memory.Session{}, fmt.Errorf("read session %s: %w", id, err)
	}
	if len(found) == 0 {
		return memory.Session{}, fmt.Errorf("read session %s: %w", id, memory.ErrNotFound)
	}
	return found[0], nil
}

// SessionsByID implements storetest.Store.
func (s *Store) SessionsByID(ctx context.Context, ids []string) ([]memory.Session, error) {
	result, err := s.conn.ExecIdempotent(ctx, "SELECT "+sessionFields+digestField+" FROM $ids WHERE id != NONE", map[string]any{"ids": recordIDs("session", ids)})
	if err != nil {
		return nil, fmt.Errorf("read %d sessions: %w", len(ids), domain(err))
	}
	return decodeSessions(result, 0)
}

// sessionRecordsSQL reads many sessions in one round trip. Each is looked for by itself,
// because the engine (3.0.2) reads the whole table for "session IN $ids". The memories
// have a statement of their own: sessions may have seen one often.
var sessionRecordsSQL = `
SELECT ` + sessionFields + digestField + ` FROM $ids WHERE id != NONE;
RETURN $ids.map(|$s| (` + promptsOfSQL + `)).flatten();
RETURN $ids.map(|$s| (` + sessionEventsOfSQL + `)).flatten();
LET $seen = $ids.map(|$s| (` + seenBySQL + `)).flatten();
SELECT record::id(id) AS id, record::id(in) AS memory, record::id(out) AS session, at FROM $seen;
SELECT ` + memoryFields + ` FROM array::distinct($seen.in) WHERE id != NONE;`

const (
	promptsOfSQL       = "SELECT record::id(id) AS id, record::id(session) AS session, project, text, at FROM prompt WHERE session = $s ORDER BY at, id"
	sessionEventsOfSQL = "SELECT record::id(id) AS id, record::id(session) AS session, kind, text, at FROM session_event WHERE session = $s ORDER BY at, id"
	seenBySQL          = "SELECT id, in, out, at FROM $s<-seen_in ORDER BY at, id"
)

// SessionRecord implements storetest.Store.
func (s *Store) SessionRecord(ctx context.Context, session string) (memory.SessionRecord, error) {
	records, err := s.SessionRecords(ctx, []string{session})
	if err != nil {
		return memory.SessionRecord{}, err
	}
	if len(records) == 0 {
		return memory.SessionRecord{}, fmt.Errorf("read the record of session %s: %w", session, memory.ErrNotFound)
	}
	return records[0], nil
}

// SessionRecords implements storetest.Store.
func (s *Store) SessionRecords(ctx context.Context, ids []string) ([]memory.SessionRecord, error) {
	result, err := s.conn.ExecIdempotent(ctx, sessionRecordsSQL, map[string]any{"ids": recordIDs("session", ids)})
	if err != nil {
		return nil, fmt.Errorf("read the records of %d sessions: %w", len(ids), domain(err))
	}
	sessions, errSessions := decodeSessions(result, 0)
	prompts, errPrompts := decodeEach(result, 1, promptRecord.prompt)
	sessionEvents, errEvents := decodeEach(result, 2, sessionEventRecord.sessionEvent)
	sightings, errSightings := decodeEach(result, 4, sightingRecord.sighting)
	memories, errMemories := memoryCodec.decode(result, 5)
	if err := errors.Join(errSessions, errPrompts, errEvents, errSightings, errMemories); err != nil {
		return nil, fmt.Errorf("read the records of %d sessions: %w", len(ids), err)
	}
	return recordsOf(ids, sessions, prompts, sessionEvents, sightings, memories), nil
}

// recordsOf joins the rows of several sessions, in the order of the ids.
func recordsOf(
	ids []string, sessions []memory.Session, prompts []memory.Prompt, sessionEvents []memory.SessionEvent,
	sightings []memory.Sighting, memories []memory.Memory,
) []memory.SessionRecord {
	byID := make(map[string]memory.Memory, len(memories))
	for _, m := range memories {
		byID[m.ID] = m
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
	for _, e := range sessionEvents {
		if record := of[e.Session]; record != nil {
			record.SessionEvents = append(record.SessionEvents, e)
		}
	}
	for _, sighting := range sightings {
		m, isThere := byID[sighting.Memory]
		if record := of[sighting.Session]; record != nil && isThere {
			record.Seen = append(record.Seen, memory.Seen{ID: sighting.ID, Memory: m, At: sighting.At})
		}
	}
	records := make([]memory.SessionRecord, 0, len(sessions))
	for _, id := range ids {
		if record := of[id]; record != nil {
			records = append(records, *record)
			delete(of, id)
		}
	}
	return records
}

// setSummary copies the fields of the row $summary.
const setSummary = `
	UPDATE $summary.id SET summary = $summary.text, summary_token_count = $summary.tokens, summary_token_encoding = $summary.encoding,
		digest = IF $summary.digest = {} THEN NONE ELSE $summary.digest END,
		state = IF state = 'summarising' THEN 'completed' ELSE state END`

// Summarise implements storetest.Store.
func (s *Store) Summarise(ctx context.Context, session string, summary memory.Summary) error {
	result, err := s.conn.ExecIdempotent(ctx, setSummary+" RETURN VALUE true", map[string]any{
		"summary": summaryRow(memory.SessionSummary{Session: session, Summary: summary}),
	})
	if err != nil {
		return fmt.Errorf("summarise session %s: %w", session, domain(err))
	}
	var updated []bool
	if err := result.Decode(0, &updated); err != nil {
		return err
	}
	if len(updated) == 0 {
		return fmt.Errorf("summarise session %s: %w", session, memory.ErrNotFound)
	}
	return nil
}

// Two statements instead of IN let the index on state and time serve them.
const silentSQL = `
SELECT ` + sessionFields + ` FROM session WHERE state = 'initialised' AND last_event_at < $since LIMIT $limit;
SELECT ` + sessionFields + ` FROM session WHERE state = 'active' AND last_event_at < $since LIMIT $limit`

// Silent implements storetest.Store.
func (s *Store) Silent(ctx context.Context, since time.Time, limit int) ([]memory.Session, error) {
	place, err := s.conn.Place(ctx)
	if err != nil {
		return nil, fmt.Errorf("find sessions silent since %s: %w", since, domain(err))
	}
	sql := silentSQL
	if place != "" { // those of others are theirs to close
		sql = strings.ReplaceAll(sql, "< $since", "< $since AND owner = $auth.name")
	}
	result, err := s.conn.ExecIdempotent(ctx, sql, map[string]any{"since": at(since), "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("find sessions silent since %s: %w", since, domain(err))
	}
	initialised, errInitialised := decodeSessions(result, 0)
	active, errActive := decodeSessions(result, 1)
	if err := errors.Join(errInitialised, errActive); err != nil {
		return nil, fmt.Errorf("find sessions silent since %s: %w", since, err)
	}
	all := append(initialised, active...)
	return all[:min(limit, len(all))], nil
}

// listingSQL reads one kind of one project in a range of ranks; memory_listing serves it.
// The order is that of the index, all fields of it: then the engine reads no more
// rows than the limit.
var listingSQL = "SELECT " + rowFields + ", rank FROM memory WHERE project = $%s AND kind = '%s' AND status = 'active' AND rank %s %d" +
	" ORDER BY project, kind, status, rank LIMIT $limit"

// factsRank is above the rank of each fact that a model wrote, and below that of other
// memories of a start; see the field rank in the schema.
const factsRank = -2_100_000_000_000

// startContextSQL is one round trip; the order of its statements is that of
// startSections.
var startContextSQL = func() string {
	sql := ""
	for _, section := range startSections {
		sql += fmt.Sprintf(listingSQL, section.owner, section.kind, section.ranks, factsRank) + ";\n"
	}
	return sql + `SELECT ` + sessionFields + `, told, recency FROM session WHERE project = $project AND told = true
		ORDER BY project, told, recency LIMIT $limit + 1`
}()

// startSections lists the kinds that a starting session reads, of its project and of the
// user, and their targets.
var startSections = func() (all []startSection) {
	add := func(kind memory.Kind, ranks string, into func(*memory.StartContext) *[]memory.Memory, owners ...string) {
		for _, owner := range owners {
			all = append(all, startSection{owner, kind, ranks, into})
		}
	}
	for _, kind := range memory.StartKinds() {
		add(kind, "<", func(c *memory.StartContext) *[]memory.Memory { return &c.Facts }, "project", "user")
	}
	add(memory.KindTodo, ">=", func(c *memory.StartContext) *[]memory.Memory { return &c.Todos }, "project", "user")
	conventions := func(c *memory.StartContext) *[]memory.Memory { return &c.Conventions }
	for _, kind := range []memory.Kind{memory.KindConvention, memory.KindCorrection, memory.KindDecision, memory.KindNote} {
		add(kind, ">=", conventions, "project", "user")
	}
	add(memory.KindPreference, ">=", conventions, "project")
	add(memory.KindPreference, ">=", func(c *memory.StartContext) *[]memory.Memory { return &c.Preferences }, "user")
	add(memory.KindFailure, ">=", func(c *memory.StartContext) *[]memory.Memory { return &c.Failing }, "project")
	return all
}()

type startSection struct {
	owner string // the parameter with the project's key
	kind  memory.Kind
	ranks string // below factsRank, or from it on
	into  func(*memory.StartContext) *[]memory.Memory
}

// StartContext implements storetest.Store. Of a shared project a person is told the shared rows and their own.
func (s *Store) StartContext(ctx context.Context, q memory.StartQuery) (memory.StartContext, error) {
	place, err := s.conn.Place(ctx)
	if err != nil {
		return memory.StartContext{}, fmt.Errorf("read the start context of %s: %w", q.Project, domain(err))
	}
	start, err := s.startContext(ctx, q, "")
	if err != nil || place == "" || memory.PrivateTo(q.Project) != "" {
		return start, err
	}
	q.Project = place + q.Project
	own, err := s.startContext(ctx, q, q.Project)
	return start.With(own, q.Limit), err
}

// startContext reads the rows of a project and of an owner in its place; the user's if that is empty.
func (s *Store) startContext(ctx context.Context, q memory.StartQuery, user string) (memory.StartContext, error) {
	result, err := s.conn.ExecIdempotent(ctx, startContextSQL, map[string]any{
		"project": q.Project, "user": user, "limit": q.Limit,
	})
	if err != nil {
		return memory.StartContext{}, fmt.Errorf("read the start context of %s: %w", q.Project, domain(err))
	}
	var start memory.StartContext
	for i, section := range startSections {
		found, err := rowCodec.decode(result, i)
		if err != nil {
			return memory.StartContext{}, err
		}
		told := memory.Uncorrected(found)
		if section.kind == memory.KindFailure { // the facts of maintenance have the best rank
			told = slices.DeleteFunc(told, func(m memory.Memory) bool { return !m.Recallable() })
		}
		into := section.into(&start)
		*into = append(*into, told...)
	}
	for _, section := range []*[]memory.Memory{&start.Todos, &start.Conventions, &start.Failing, &start.Preferences} {
		*section = memory.Best(*section, q.Limit)
	}
	start.Facts = memory.Best(start.Facts, len(start.Facts))
	told, err := decodeSessions(result, len(startSections))
	if err != nil {
		return memory.StartContext{}, err
	}
	// One more was read than asked for, in case the session itself is among them.
	start.Summaries = slices.DeleteFunc(told, func(s memory.Session) bool { return s.ID == q.Session })
	start.Summaries = memory.Newest(start.Summaries, q.Limit)
	return start, nil
}

// Two ranges instead of != let the index on the encoding serve the search.
var uncountedSQL = `
SELECT ` + memoryFields + ` FROM memory WHERE token_encoding < $encoding LIMIT $limit;
SELECT ` + memoryFields + ` FROM memory WHERE token_encoding > $encoding LIMIT $limit`

// Uncounted implements storetest.Store.
func (s *Store) Uncounted(ctx context.Context, encoding string, limit int) ([]memory.Memory, error) {
	result, err := s.conn.ExecIdempotent(ctx, uncountedSQL, map[string]any{"encoding": encoding, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("find memories not counted by %s: %w", encoding, domain(err))
	}
	below, errBelow := memoryCodec.decode(result, 0)
	above, errAbove := memoryCodec.decode(result, 1)
	if err := errors.Join(errBelow, errAbove); err != nil {
		return nil, fmt.Errorf("find memories not counted by %s: %w", encoding, err)
	}
	all := append(below, above...)
	return all[:min(limit, len(all))], nil
}

const runsSQL = `
SELECT ` + runFields + `
	FROM maintenance_run ORDER BY started_at DESC LIMIT $limit`

// Runs implements storetest.Store. The actions of the runs are left out.
func (s *Store) Runs(ctx context.Context, limit int) ([]memory.Run, error) {
	result, err := s.conn.ExecIdempotent(ctx, runsSQL, map[string]any{"limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list maintenance runs: %w", domain(err))
	}
	runs, err := decodeRuns(result, 0)
	if err != nil {
		return nil, fmt.Errorf("list maintenance runs: %w", err)
	}
	return runs, nil
}

const statsSQL = `RETURN {
	memories: (SELECT count() FROM memory GROUP ALL)[0].count ?? 0,
	sessions: (SELECT count() FROM session GROUP ALL)[0].count ?? 0,
	prompts: (SELECT count() FROM prompt GROUP ALL)[0].count ?? 0,
	projects: (SELECT count() FROM project GROUP ALL)[0].count ?? 0,
	files: (SELECT count() FROM file GROUP ALL)[0].count ?? 0,
	sightings: (SELECT count() FROM seen_in GROUP ALL)[0].count ?? 0,
	session_events: (SELECT count() FROM session_event GROUP ALL)[0].count ?? 0,
	runs: (SELECT count() FROM maintenance_run GROUP ALL)[0].count ?? 0
}`

// Stats implements storetest.Store.
func (s *Store) Stats(ctx context.Context) (memory.Stats, error) {
	result, err := s.conn.Run(ctx, wire.Request{SQL: statsSQL, Idempotent: true, Timeout: wire.PageTime})
	if err != nil {
		return memory.Stats{}, fmt.Errorf("count the store: %w", domain(err))
	}
	var stats memory.Stats
	if err := result.Decode(0, &stats); err != nil {
		return memory.Stats{}, fmt.Errorf("count the store: %w", err)
	}
	return stats, nil
}

// domain maps an error of the connection to the domain's.
func domain(err error) error {
	switch {
	case errors.Is(err, wire.ErrDamaged):
		return fmt.Errorf("%w: %w", memory.ErrDamaged, err)
	case errors.Is(err, wire.ErrStorage):
		return fmt.Errorf("%w: %w", memory.ErrStorage, err)
	}
	if errors.Is(err, wire.ErrUnavailable) || errors.Is(err, wire.ErrAuth) || errors.Is(err, wire.ErrClosed) {
		return fmt.Errorf("%w: %w", memory.ErrUnavailable, err)
	}
	return err
}

func selectMemories(ctx context.Context, conn *wire.Conn, sql string, vars map[string]any) ([]memory.Memory, error) {
	result, err := conn.ExecIdempotent(ctx, sql, vars)
	if err != nil {
		return nil, domain(err)
	}
	return memoryCodec.decode(result, 0)
}

func recordIDs(table string, ids []string) []models.RecordID {
	all := make([]models.RecordID, len(ids))
	for i, id := range ids {
		all[i] = recordID(table, id)
	}
	return all
}

func recordID(table, id string) models.RecordID { return models.NewRecordID(table, id) }

func at(t time.Time) models.CustomDateTime {
	if t.IsZero() { // a required field: the zero time would be NONE
		t = time.Unix(0, 0)
	}
	return models.CustomDateTime{Time: t}
}

// texts makes plain strings of a named string type, which the SDK cannot encode.
func texts[T ~string](values []T) []string {
	plain := make([]string, len(values))
	for i, v := range values {
		plain[i] = string(v)
	}
	return plain
}

func rows[T any](values []T, row func(T) map[string]any) []map[string]any {
	all := make([]map[string]any, 0, len(values))
	for _, v := range values {
		all = append(all, row(v))
	}
	return all
}

// personalProbe is a write that a person may make.
const personalProbe = "UPSERT $probe SET holder = '', token = 1, acquired_at = time::now(), expires_at = time::now() RETURN NONE; DELETE $probe RETURN NONE"

// CanWrite implements storetest.Store.
func (s *Store) CanWrite(ctx context.Context) error {
	place, err := s.conn.Place(ctx)
	switch {
	case err == nil && place != "":
		_, err = s.conn.ExecIdempotent(ctx, personalProbe, map[string]any{"probe": recordID("lease", place+wire.ProbeTable)})
	case err == nil:
		err = s.conn.CanWrite(ctx)
	}
	if err != nil {
		return fmt.Errorf("write to the store: %w", domain(err))
	}
	return nil
}
