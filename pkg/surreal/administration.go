package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// administrationTime bounds merging and purging, which touch every row of a project.
const administrationTime = 5 * time.Minute

// purgeBatch is the number of memories that one transaction deletes: its cost grows
// faster than its size, and an interrupted purge can go on with the next batch.
const purgeBatch = 500

func (s *Store) administer(ctx context.Context, sql string, vars map[string]any) (wire.Results, error) {
	result, err := s.conn.Run(ctx, wire.Request{SQL: sql, Vars: vars, Idempotent: true, Timeout: administrationTime})
	return result, domain(err)
}

// sessionCountsSQL counts each session by itself, because the engine (3.0.2) reads the
// whole table for "session IN $sessions".
const sessionCountsSQL = `
RETURN $sessions.map(|$s| { session: record::id($s), count: count(` + sessionPromptsSQL + `) });
RETURN $sessions.map(|$s| { session: record::id($s), count: count(` + sessionNotifiedSQL + `) })`

const (
	sessionPromptsSQL  = "SELECT VALUE id FROM prompt WHERE session = $s"
	sessionNotifiedSQL = "SELECT VALUE id FROM session_event WHERE session = $s AND kind = $notified"
)

// sessionsOfProjectSQL is two statements, so that session_recent serves each: it is in
// their order, by all its fields.
var sessionsOfProjectSQL = func() string {
	const of = " FROM session WHERE project = $project AND told = %t ORDER BY project, told, recency LIMIT $limit;"
	return fmt.Sprintf("SELECT "+sessionFields+digestField+", told, recency"+of+"SELECT "+sessionFields+digestField+", told, recency"+of, true, false)
}()

// lastSessions are those of a project, or of all if it is empty, without their counts.
func (s *Store) lastSessions(ctx context.Context, project string, limit int) ([]memory.Session, error) {
	if project != "" {
		keys, err := s.keysOf(ctx, project)
		var newest []memory.Session
		for _, key := range keys {
			if err != nil {
				return nil, err
			}
			var its []memory.Session
			its, err = s.lastOfProject(ctx, key, limit)
			newest = memory.Newest(append(newest, its...), limit)
		}
		return newest, err
	}
	// The newest of each project, by its index: the engine would sort the whole table.
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

// lastOfProject are those of the project with the key, which may be empty.
func (s *Store) lastOfProject(ctx context.Context, key string, limit int) ([]memory.Session, error) {
	result, err := s.conn.ExecIdempotent(ctx, sessionsOfProjectSQL, map[string]any{"project": key, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", domain(err))
	}
	sessions, err := decodeSessions(result, 0)
	if err != nil {
		return nil, err
	}
	others, err := decodeSessions(result, 1)
	return memory.Newest(append(sessions, others...), limit), err
}

// Sessions implements storetest.Store.
func (s *Store) Sessions(ctx context.Context, project string, limit int) ([]memory.Session, error) {
	if limit <= 0 {
		limit = defaultLimit
	}
	sessions, err := s.lastSessions(ctx, project, limit)
	if err != nil || len(sessions) == 0 {
		return sessions, err
	}
	ids := make([]models.RecordID, 0, len(sessions))
	for _, one := range sessions {
		ids = append(ids, recordID("session", one.ID))
	}
	result, err := s.conn.ExecIdempotent(ctx, sessionCountsSQL, map[string]any{"sessions": ids, "notified": string(memory.EventNotified)})
	if err != nil {
		return nil, fmt.Errorf("count the prompts and notifications of sessions: %w", domain(err))
	}
	prompts, errPrompts := decodeSessionCounts(result, 0)
	notifications, errNotifications := decodeSessionCounts(result, 1)
	if err := errors.Join(errPrompts, errNotifications); err != nil {
		return nil, fmt.Errorf("count the prompts and notifications of sessions: %w", err)
	}
	for i := range sessions {
		sessions[i].PromptCount, sessions[i].NotificationCount = prompts[sessions[i].ID], notifications[sessions[i].ID]
	}
	return sessions, nil
}

// decodeSessionCounts reads a count for each session.
func decodeSessionCounts(result wire.Results, i int) (map[string]int, error) {
	var rows []struct {
		Session string `json:"session"`
		Count   int    `json:"count"`
	}
	err := result.Decode(i, &rows)
	counts := map[string]int{}
	for _, row := range rows {
		counts[row.Session] = row.Count
	}
	return counts, err
}

const projectsSQL = `
SELECT record::id(id) AS key, name, root, seen_at, given_name ?? '' AS given_name, merged_into ?? '' AS merged_into
	FROM project ORDER BY seen_at DESC, key`

type projectRecord struct {
	Key        string                `json:"key"`
	Name       string                `json:"name"`
	Root       string                `json:"root"`
	SeenAt     models.CustomDateTime `json:"seen_at"`
	GivenName  string                `json:"given_name"`
	MergedInto string                `json:"merged_into"`
}

func (r projectRecord) project() memory.Project {
	return memory.Project{Key: r.Key, Name: cmp.Or(r.GivenName, r.Name), Root: r.Root, SeenAt: instant(r.SeenAt)}
}

// Projects implements storetest.Store.
func (s *Store) Projects(ctx context.Context) ([]memory.ProjectHolding, error) {
	result, err := s.conn.ExecIdempotent(ctx, projectsSQL, nil)
	if err != nil {
		return nil, fmt.Errorf("list projects: %w", domain(err))
	}
	var records []projectRecord
	if err := result.Decode(0, &records); err != nil {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	all := make([]memory.ProjectHolding, 0, len(records))
	for _, r := range records {
		all = append(all, memory.ProjectHolding{Project: r.project(), MergedInto: r.MergedInto})
	}
	return all, nil
}

// Holding implements storetest.Store. Indexes that begin with the project or the session
// serve it.
func (s *Store) Holding(ctx context.Context, project string) (memory.Holding, error) {
	result, err := s.conn.Run(ctx, wire.Request{SQL: countSQL, Vars: map[string]any{"project": project}, Idempotent: true, Timeout: wire.PageTime})
	if err != nil {
		return memory.Holding{}, fmt.Errorf("count the rows of project %s: %w", project, domain(err))
	}
	var holding memory.Holding
	return holding, result.Decode(len(result)-1, &holding)
}

const (
	countSQL = `
LET $sessions = ` + sessionsOfSQL + `;
RETURN {
	memories: (` + memoriesOfSQL + `)[0].count ?? 0,
	sessions: array::len($sessions),
	prompts: math::sum($sessions.map(|$s| count(` + sessionPromptsSQL + `)))
}`
	memoriesOfSQL = "SELECT count() FROM memory WHERE project = $project GROUP ALL"
	sessionsOfSQL = "SELECT VALUE id FROM session WHERE project = $project"
)

const renameSQL = `UPDATE $id SET given_name = IF $name = '' THEN NONE ELSE $name END RETURN VALUE true`

// RenameProject implements storetest.Store.
func (s *Store) RenameProject(ctx context.Context, key, name string) error {
	result, err := s.conn.ExecIdempotent(ctx, renameSQL, map[string]any{"id": recordID("project", key), "name": name})
	if err != nil {
		return fmt.Errorf("rename project %s: %w", key, domain(err))
	}
	var renamed []bool
	if err := result.Decode(0, &renamed); err != nil {
		return fmt.Errorf("rename project %s: %w", key, err)
	}
	if len(renamed) == 0 {
		return fmt.Errorf("rename project %s: %w", key, memory.ErrNotFound)
	}
	return nil
}

const holdingSQL = `{
	memories: (SELECT count() FROM memory WHERE project IN $keys GROUP ALL)[0].count ?? 0,
	sessions: (SELECT count() FROM session WHERE project IN $keys GROUP ALL)[0].count ?? 0,
	prompts: (SELECT count() FROM prompt WHERE project IN $keys GROUP ALL)[0].count ?? 0,
	files: (SELECT count() FROM file WHERE project IN $keys GROUP ALL)[0].count ?? 0
}`

// mergeSQL leaves all ids as they are: a memory's is made of an event captured under the
// old key, and the same event captured again gets it again. Its result is statement 2.
const mergeSQL = `
BEGIN;
LET $moved = ` + holdingSQL + `;
$moved;
UPDATE memory SET project = $into, home = IF home = $from THEN $into ELSE home END, used_on = -1, due_on = 0,
	fingerprints = NONE, changed_at = time::nano() -- the files are those of another folder
	WHERE project = $from RETURN NONE;
INSERT IGNORE INTO active_day (SELECT type::record('active_day', $into + '/' + day) AS id, $into AS project, day
	FROM active_day WHERE project = $from) RETURN NONE;
DELETE active_day WHERE project = $from RETURN NONE;
UPDATE session SET project = $into WHERE project = $from RETURN NONE;
UPDATE prompt SET project = $into WHERE project = $from RETURN NONE;
UPDATE file SET project = $into WHERE project = $from RETURN NONE;
UPDATE project SET merged_into = $into WHERE id = $from_id OR merged_into = $from RETURN NONE;
COMMIT;`

// MergeProjects implements storetest.Store.
func (s *Store) MergeProjects(ctx context.Context, from, into string) (memory.Holding, error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	aliases, err := s.known(ctx, from, into)
	if err != nil {
		return memory.Holding{}, fmt.Errorf("merge projects: %w", err)
	}
	into = cmp.Or(aliases[into], into)
	if from == into {
		return memory.Holding{}, fmt.Errorf("merge project %s into a part of itself: %w", from, memory.ErrInvalid)
	}
	result, err := s.administer(ctx, mergeSQL, map[string]any{
		"from": from, "into": into, "from_id": recordID("project", from), "keys": []string{from},
	})
	if err != nil {
		return memory.Holding{}, fmt.Errorf("merge project %s into %s: %w", from, into, err)
	}
	var moved memory.Holding
	return moved, result.Decode(2, &moved)
}

// known returns the aliases, or ErrNotFound if one of the projects does not exist.
func (s *Store) known(ctx context.Context, keys ...string) (map[string]string, error) {
	result, err := s.conn.ExecIdempotent(ctx, aliasesSQL, nil)
	if err != nil {
		return nil, domain(err)
	}
	var records []projectRecord
	if err := result.Decode(0, &records); err != nil {
		return nil, err
	}
	aliases, there := map[string]string{}, map[string]bool{}
	for _, r := range records {
		there[r.Key] = true
		if r.MergedInto != "" {
			aliases[r.Key] = r.MergedInto
		}
	}
	for _, key := range keys {
		if !there[key] {
			return nil, fmt.Errorf("project %s: %w", key, memory.ErrNotFound)
		}
	}
	return aliases, nil
}

const aliasesSQL = `SELECT record::id(id) AS key, merged_into ?? '' AS merged_into FROM project`

// Aliases implements storetest.Store.
func (s *Store) Aliases(ctx context.Context) (map[string]string, error) {
	aliases, err := s.known(ctx)
	if err != nil {
		return nil, fmt.Errorf("read which projects were merged: %w", err)
	}
	return aliases, nil
}

// purgeMemoriesSQL deletes some memories; their edges go with them. Its result is
// statement 3.
const purgeMemoriesSQL = `
BEGIN;
LET $gone = (SELECT VALUE id FROM memory WHERE project = $key LIMIT $batch);
DELETE $gone RETURN NONE;
array::len($gone);
COMMIT;`

// purgeRestSQL deletes the remaining rows of the projects, each table by itself, and they
// themselves last: until then it can be done again.
const purgeRestSQL = `
DELETE distillation WHERE type::record('session', record::id(id)).project IN $keys RETURN NONE;
UPDATE spend SET session = '' WHERE type::record('session', session).project IN $keys RETURN NONE;
DELETE session_event WHERE session.project IN $keys RETURN NONE;
DELETE prompt WHERE project IN $keys RETURN NONE;
DELETE session WHERE project IN $keys RETURN NONE;
DELETE file WHERE project IN $keys RETURN NONE;
DELETE active_day WHERE project IN $keys RETURN NONE;
DELETE project WHERE record::id(id) IN $keys RETURN NONE;`

// PurgeProject implements storetest.Store.
func (s *Store) PurgeProject(ctx context.Context, key string) (memory.Holding, error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	aliases, err := s.known(ctx, key)
	if err != nil {
		return memory.Holding{}, fmt.Errorf("purge: %w", err)
	}
	keys := []string{key}
	for alias, meant := range aliases {
		if meant == key {
			keys = append(keys, alias)
		}
	}
	purged, err := s.purge(ctx, keys)
	if err != nil {
		return purged, fmt.Errorf("purge project %s: %w", key, err)
	}
	return purged, nil
}

func (s *Store) purge(ctx context.Context, keys []string) (memory.Holding, error) {
	vars := map[string]any{"keys": keys}
	result, err := s.administer(ctx, "RETURN "+holdingSQL+"; DELETE maintenance_action WHERE memory.project IN $keys RETURN NONE;", vars)
	if err != nil {
		return memory.Holding{}, err
	}
	var purged memory.Holding
	if err := result.Decode(0, &purged); err != nil {
		return purged, err
	}
	for _, key := range keys {
		if err := s.purgeMemories(ctx, key); err != nil {
			return purged, err
		}
	}
	_, err = s.administer(ctx, purgeRestSQL, vars)
	return purged, err
}

func (s *Store) purgeMemories(ctx context.Context, project string) error {
	for gone := purgeBatch; gone == purgeBatch; {
		result, err := s.administer(ctx, purgeMemoriesSQL, map[string]any{"key": project, "batch": purgeBatch})
		if err != nil {
			return err
		}
		if err := result.Decode(3, &gone); err != nil {
			return err
		}
	}
	return nil
}

// everythingSQL counts all rows, whatever project they are of.
const everythingSQL = `RETURN {
	memories: (SELECT count() FROM memory GROUP ALL)[0].count ?? 0,
	sessions: (SELECT count() FROM session GROUP ALL)[0].count ?? 0,
	prompts: (SELECT count() FROM prompt GROUP ALL)[0].count ?? 0,
	files: (SELECT count() FROM file GROUP ALL)[0].count ?? 0
}`

// keptTables are those that PurgeAll leaves alone: the schema's own.
var keptTables = map[string]bool{"migration_history": true, "lease": true}

// PurgeAll implements storetest.Store. It goes by the tables that exist, so that none can
// be left out.
func (s *Store) PurgeAll(ctx context.Context) (memory.Holding, error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	result, err := s.administer(ctx, everythingSQL+"; INFO FOR DB", nil)
	if err != nil {
		return memory.Holding{}, fmt.Errorf("purge everything: %w", err)
	}
	var purged memory.Holding
	var info struct {
		Tables map[string]string `json:"tables"`
	}
	if err := errors.Join(result.Decode(0, &purged), result.Decode(1, &info)); err != nil {
		return purged, fmt.Errorf("purge everything: %w", err)
	}
	for table := range info.Tables {
		if keptTables[table] {
			continue
		}
		if _, err := s.administer(ctx, "DELETE type::table($table) RETURN NONE", map[string]any{"table": table}); err != nil {
			return purged, fmt.Errorf("purge the table %s: %w", table, err)
		}
	}
	return purged, nil
}

const historySQL = `
SELECT record::id(id) AS id, record::id(out) AS session, at FROM $id->seen_in ORDER BY at, id;
SELECT record::id(id) AS id, record::id(out) AS session, subagent, hook, at FROM injected_in WHERE in = $id ORDER BY at, id;
SELECT run.job AS job, run.trigger AS trigger, reason, run.started_at AS at, record::id(run) AS run_id
	FROM maintenance_action WHERE memory = $id ORDER BY at, run_id;`

type occasionRecord struct {
	ID       string                `json:"id"`
	Memory   string                `json:"memory"`
	Session  string                `json:"session"`
	Hook     string                `json:"hook"`
	Subagent string                `json:"subagent"`
	At       models.CustomDateTime `json:"at"`
}

type changeRecord struct {
	Run     string                `json:"run_id"`
	Job     string                `json:"job"`
	Trigger string                `json:"trigger"`
	Reason  string                `json:"reason"`
	At      models.CustomDateTime `json:"at"`
}

// History implements storetest.Store.
func (s *Store) History(ctx context.Context, id string) (memory.History, error) {
	result, err := s.conn.ExecIdempotent(ctx, historySQL, map[string]any{"id": recordID("memory", id)})
	if err != nil {
		return memory.History{}, fmt.Errorf("read the history of memory %s: %w", id, domain(err))
	}
	var seen, injected []occasionRecord
	var changes []changeRecord
	if err := errors.Join(result.Decode(0, &seen), result.Decode(1, &injected), result.Decode(2, &changes)); err != nil {
		return memory.History{}, fmt.Errorf("read the history of memory %s: %w", id, err)
	}
	h := memory.History{Seen: []memory.Sighting{}, Injected: []memory.Injection{}, Changes: []memory.ChangeRecord{}}
	for _, r := range seen {
		h.Seen = append(h.Seen, memory.Sighting{ID: r.ID, Memory: id, Session: r.Session, At: instant(r.At)})
	}
	for _, r := range injected {
		h.Injected = append(h.Injected, memory.Injection{ID: r.ID, Memory: id, Session: r.Session, Subagent: r.Subagent, Hook: r.Hook, At: instant(r.At)})
	}
	for _, r := range changes {
		h.Changes = append(h.Changes, memory.ChangeRecord{Run: r.Run, Job: r.Job, By: r.Trigger, Reason: r.Reason, At: instant(r.At)})
	}
	return h, nil
}
