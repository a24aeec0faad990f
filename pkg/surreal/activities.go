package surreal

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Two statements instead of IN let the index on project, told and recency serve
// the newest sessions.
const activitiesSQL = `
LET $told = (SELECT id, project, told, recency FROM session WHERE project = $project AND told = true ORDER BY project, told, recency LIMIT $limit);
LET $untold = (SELECT id, project, told, recency FROM session WHERE project = $project AND told = false ORDER BY project, told, recency LIMIT $limit);
LET $sessions = array::slice((SELECT id, recency FROM array::concat($told, $untold) ORDER BY recency), 0, $limit);
SELECT record::id(id) AS session, <-seen_in.{ at, id, in } AS seen FROM $sessions.id;`

const activityMemoriesSQL = `
SELECT record::id(id) AS id, project, kind, command, IF kind = 'failure' THEN detail ELSE IF kind = 'fix' THEN content ELSE '' END AS detail,
	IF kind = 'edit' THEN files[0] ?? '' ELSE '' END AS file
	FROM $ids WHERE kind IN ['command', 'failure', 'edit'] OR (kind = 'fix' AND status = 'active')`

// Activities implements storetest.Store. The memories are read after their sightings,
// each once: through every sighting they would cost three times as much.
func (s *Store) Activities(ctx context.Context, project string, sessions int) ([]memory.Activity, error) {
	activities, err := s.activities(ctx, project, sessions)
	if err != nil {
		return nil, fmt.Errorf("read the activities of the sessions of %q: %w", project, domain(err))
	}
	slices.SortFunc(activities, func(a, b memory.Activity) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return activities, nil
}

func (s *Store) activities(ctx context.Context, project string, sessions int) ([]memory.Activity, error) {
	result, err := s.conn.ExecIdempotent(ctx, activitiesSQL, map[string]any{"project": project, "limit": sessions})
	if err != nil {
		return nil, err
	}
	var found []struct {
		Session string `json:"session"`
		Seen    []struct {
			ID models.RecordID       `json:"id"`
			In models.RecordID       `json:"in"`
			At models.CustomDateTime `json:"at"`
		} `json:"seen"`
	}
	if err := result.Decode(3, &found); err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, session := range found {
		for _, one := range session.Seen {
			wanted[fmt.Sprint(one.In.ID)] = true
		}
	}
	told, err := s.activityMemories(ctx, slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return nil, err
	}
	var activities []memory.Activity
	for _, session := range found {
		for _, one := range session.Seen {
			if activity, is := told[fmt.Sprint(one.In.ID)]; is {
				activity.ID, activity.Session, activity.At = fmt.Sprint(one.ID.ID), session.Session, instant(one.At)
				activities = append(activities, activity)
			}
		}
	}
	return activities, nil
}

// activityMemories are the activities of memories, by id.
func (s *Store) activityMemories(ctx context.Context, ids []string) (map[string]memory.Activity, error) {
	result, err := s.conn.ExecIdempotent(ctx, activityMemoriesSQL, map[string]any{"ids": memoryIDs(ids)})
	if err != nil {
		return nil, err
	}
	var found []struct {
		ID      string `json:"id"`
		Project string `json:"project"`
		Kind    string `json:"kind"`
		Command string `json:"command"`
		Detail  string `json:"detail"`
		File    string `json:"file"`
	}
	if err := result.Decode(0, &found); err != nil {
		return nil, err
	}
	told := make(map[string]memory.Activity, len(found))
	for _, m := range found {
		told[m.ID] = memory.Activity{
			Memory: m.ID, Project: m.Project, Kind: memory.Kind(m.Kind), Command: m.Command, Detail: m.Detail, File: m.File,
		}
	}
	return told, nil
}
