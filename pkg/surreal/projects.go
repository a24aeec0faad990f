package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// administrationTime bounds merging and purging, which touch every row of a project.
const administrationTime = 5 * time.Minute

// purgeBatch is the number of memories that one transaction deletes: its cost grows
// faster than its size, and an interrupted purge can go on with the next batch.
const purgeBatch = 500

func (s *Store) administer(ctx context.Context, purpose, sql string, vars map[string]any) (wire.Results, error) {
	return s.askFor(ctx, administrationTime, purpose, sql, vars)
}

const projectsSQL = `
SELECT record::id(id) AS id, given_name ?? name AS name, root, seen_at, merged_into ?? '' AS merged_into FROM project ORDER BY seen_at DESC, id`

// Projects implements storetest.Store.
func (s *Store) Projects(ctx context.Context) ([]memory.ProjectHolding, error) {
	all, err := list(ctx, s, holdingCodec, "list projects", projectsSQL, nil)
	return append([]memory.ProjectHolding{}, all...), err // "[]" as JSON if there are none
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

// Indexes that begin with the project or the session serve it.
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

// Stats implements storetest.Store.
func (s *Store) Stats(ctx context.Context, project string) (memory.Stats, error) {
	sql, purpose := countSQL, "count the rows of project "+project
	if project == "" {
		sql, purpose = statsSQL, "count the store"
	}
	result, err := s.askFor(ctx, wire.PageTime, purpose, sql, map[string]any{"project": project})
	if err != nil {
		return memory.Stats{}, err
	}
	return last[memory.Stats](result, purpose)
}

const renameSQL = `UPDATE $id SET given_name = IF $name = '' THEN NONE ELSE $name END RETURN VALUE true`

// RenameProject implements storetest.Store.
func (s *Store) RenameProject(ctx context.Context, key, name string) error {
	renamed, err := value[[]bool](ctx, s, "rename project "+key, renameSQL, map[string]any{"id": recordID("project", key), "name": name})
	if err == nil && len(renamed) == 0 {
		err = fmt.Errorf("rename project %s: %w", key, memory.ErrNotFound)
	}
	return err
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
	result, err := s.administer(ctx, fmt.Sprintf("merge project %s into %s", from, into), mergeSQL, map[string]any{
		"from": from, "into": into, "from_id": recordID("project", from), "keys": []string{from},
	})
	if err != nil {
		return memory.Holding{}, err
	}
	var moved memory.Holding
	return moved, result.Decode(2, &moved)
}

// known returns the keys of merged projects with the key that is meant, or ErrNotFound if one of the projects does not
// exist.
func (s *Store) known(ctx context.Context, keys ...string) (map[string]string, error) {
	projects, err := s.Projects(ctx)
	for _, key := range keys {
		if err == nil && !slices.ContainsFunc(projects, func(one memory.ProjectHolding) bool { return one.Key == key }) {
			err = fmt.Errorf("project %s: %w", key, memory.ErrNotFound)
		}
	}
	return memory.AliasesOf(projects), err
}

// purgeActionsSQL deletes the records of changes, also those that hold the whole row of a
// memory that a run has removed since.
const purgeActionsSQL = `
DELETE maintenance_action WHERE memory.project IN $keys OR before.memory.project IN $keys OR after.memory.project IN $keys RETURN NONE;`

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

// Purge implements storetest.Store.
func (s *Store) Purge(ctx context.Context, key string) (memory.Holding, error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	if key == "" {
		return s.purgeAll(ctx)
	}
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
	return s.purge(ctx, "purge project "+key, keys)
}

func (s *Store) purge(ctx context.Context, purpose string, keys []string) (purged memory.Holding, err error) {
	vars := map[string]any{"keys": keys}
	result, err := s.administer(ctx, purpose, "RETURN "+holdingSQL+";"+purgeActionsSQL, vars)
	if err != nil {
		return purged, err
	}
	if err := result.Decode(0, &purged); err != nil {
		return purged, fmt.Errorf("%s: %w", purpose, err)
	}
	for _, key := range keys {
		for gone := purgeBatch; gone == purgeBatch; {
			result, err := s.administer(ctx, purpose, purgeMemoriesSQL, map[string]any{"key": key, "batch": purgeBatch})
			if err != nil {
				return purged, err
			}
			if err := result.Decode(3, &gone); err != nil {
				return purged, fmt.Errorf("%s: %w", purpose, err)
			}
		}
	}
	_, err = s.administer(ctx, purpose, purgeRestSQL, vars)
	return purged, err
}

// keptTables are those that a purge of everything leaves alone: the schema's own.
var keptTables = map[string]bool{"migration_history": true, "lease": true}

// purgeAll goes by the tables that exist, so that none can be left out.
func (s *Store) purgeAll(ctx context.Context) (purged memory.Holding, err error) {
	result, err := s.administer(ctx, "purge everything", statsSQL+"; INFO FOR DB", nil)
	if err != nil {
		return purged, err
	}
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
		if _, err := s.administer(ctx, "purge the table "+table, "DELETE type::table($table) RETURN NONE", map[string]any{"table": table}); err != nil {
			return purged, err
		}
	}
	return purged, nil
}
