package surreal

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	bandsSQL    = `SELECT record::id(id) AS id, memories FROM $ids WHERE id != NONE`
	newBandsSQL = `INSERT IGNORE INTO band $fresh RETURN NONE`
	// bandsAtOnce limits a write, so that it ends in time on a busy machine.
	bandsAtOnce = 1000
	// Never in one transaction with the insert: the lookup of each row would scan everything
	// that the transaction has written.
	joinBandsSQL = `FOR $row IN $joined { UPDATE $row.id SET memories = array::slice(array::union(memories, $row.memories), -$most) RETURN NONE };`
)

// Bands implements storetest.Store.
func (s *Store) Bands(ctx context.Context, keys map[string][]string, note bool) (map[string][]string, error) {
	members := map[string][]string{} // by key
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		for _, key := range keys[id] {
			members[key] = append(members[key], id)
		}
	}
	there, err := s.bands(ctx, slices.Collect(maps.Keys(members)))
	if err == nil && note {
		err = s.noteBands(ctx, members, there)
	}
	if err != nil {
		return nil, fmt.Errorf("find near-duplicates of %d memories: %w", len(keys), err)
	}
	for key, ids := range members {
		all := slices.Concat(there[key], ids)
		slices.Sort(all)
		there[key] = slices.Compact(all)
	}
	return there, nil
}

// bands returns the ids of the memories noted under keys, by key.
func (s *Store) bands(ctx context.Context, keys []string) (map[string][]string, error) {
	records := make([]models.RecordID, 0, len(keys))
	for _, key := range keys {
		records = append(records, recordID("band", key))
	}
	found, err := value[[]struct {
		ID       string   `json:"id"`
		Memories []string `json:"memories"`
	}](ctx, s, "read keys", bandsSQL, map[string]any{"ids": records})
	there := make(map[string][]string, len(found))
	for _, band := range found {
		there[band.ID] = band.Memories
	}
	return there, err
}

// noteBands stores the members of new keys, and adds to keys that another daemon has stored
// in the meantime.
func (s *Store) noteBands(ctx context.Context, members, there map[string][]string) error {
	var fresh []string
	for key := range members {
		if _, exists := there[key]; !exists {
			fresh = append(fresh, key)
		}
	}
	for part := range slices.Chunk(fresh, bandsAtOnce) {
		if _, err := s.ask(ctx, "note keys", newBandsSQL, map[string]any{"fresh": bandRows(part, members)}); err != nil {
			return err
		}
		made, err := s.bands(ctx, part)
		if err != nil {
			return err
		}
		maps.Copy(there, made)
	}
	var joined []string
	for key, ids := range members {
		if slices.ContainsFunc(memory.Noted(nil, ids), func(id string) bool { return !slices.Contains(there[key], id) }) {
			joined = append(joined, key)
		}
	}
	for part := range slices.Chunk(joined, bandsAtOnce) {
		if _, err := s.ask(ctx, "note keys", joinBandsSQL,
			map[string]any{"joined": bandRows(part, members), "most": memory.MostSharing}); err != nil {
			return err
		}
	}
	return nil
}

func bandRows(keys []string, members map[string][]string) []map[string]any {
	all := make([]map[string]any, 0, len(keys))
	for _, key := range keys {
		all = append(all, map[string]any{"id": recordID("band", key), "memories": memory.Noted(nil, members[key])})
	}
	return all
}
