// Package surreal keeps memories in SurrealDB. It owns every data statement of the product, and decides
// nothing about memories. Its connection is package wire's.
package surreal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// Store is the contract of package storetest on SurrealDB.
type Store struct {
	conn *wire.Conn
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
		LET $text = $old.status != 'forgotten' OR $back; -- or it is gone for good
		LET $named = $text AND ($row.title ?? '') != '';
		UPDATE $old.id SET
			detail = IF $newer AND $text THEN $row.detail ELSE detail END,
			session = IF $newer THEN $row.session ELSE session END,
			fingerprints = IF $newer THEN $row.fingerprints ELSE fingerprints END,
			tags = IF $text THEN array::sort(array::union(tags, $row.tags)) ELSE tags END,
			title = IF $named AND ($newer OR (title ?? '') = '') THEN $row.title ELSE title END,
			area = IF $named AND ($newer OR (title ?? '') = '') THEN $row.area ELSE area END,
			cues = IF $text THEN array::sort(array::union(cues ?? [], $row.cues)) ELSE cues END,
			everywhere = everywhere OR $text AND $row.everywhere,
			files = IF $text THEN array::sort(array::union(files, $row.files)) ELSE files END,
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
FOR $row IN $summaries {
	UPDATE $row.id SET summary = $row.summary, summary_token_count = $row.summary_token_count, summary_token_encoding = $row.summary_token_encoding,
		digest = $row.digest, state = IF state = 'summarising' THEN 'completed' ELSE state END RETURN NONE;
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
FOR $row IN $queued { -- one that waits and never failed may be tried earlier
	LET $old = SELECT state, tries, next_try FROM ONLY $row.id;
	IF $old.state = 'waiting' AND $old.tries = 0 AND $old.next_try > $row.next_try OR !(($old.state ?? '') IN ['waiting', 'running']) {
		UPSERT $row.id CONTENT $row RETURN NONE
	};
};
FOR $row IN $spent { UPSERT $row.id CONTENT $row RETURN NONE };
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
	ids := make([]models.RecordID, len(sightings))
	for i, sighting := range sightings {
		ids[i] = recordID("seen_in", sighting.ID)
	}
	known, err := value[[]string](ctx, s, "read which sightings are there", `SELECT VALUE record::id(id) FROM $ids WHERE id != NONE`, map[string]any{"ids": ids})
	return slices.DeleteFunc(slices.Clone(sightings), func(sighting memory.Sighting) bool { return slices.Contains(known, sighting.ID) }), err
}

func (s *Store) ingest(ctx context.Context, b memory.Batch) error {
	purpose := fmt.Sprintf("ingest %d sessions, %d memories", len(b.Sessions), len(b.Memories))
	ids, memories := newMemoryRows(b)
	_, err := s.ask(ctx, purpose, ingestSQL, map[string]any{
		"projects": projectCodec.rows(b.Projects), "sessions": sessionCodec.rows(b.Sessions), "prompts": promptCodec.rows(b.Prompts),
		"memory_ids": ids, "memories": memories, "sources": texts(memory.Sources()), "sightings": sightingCodec.rows(b.Sightings),
		"files": rows(b.Files, fileRow), "session_events": sessionEventCodec.rows(b.SessionEvents), "injections": injectionCodec.rows(b.Injections),
		"days": rows(b.Days, dayRow), "uses": rows(firstUses(b.Uses), useRow), "user_written": memoryIDs(b.UserWritten),
		"summaries": summaryCodec.rows(b.Summaries), "derived": rows(b.Derived, derivationRow),
		"queued": distillationCodec.rows(b.Queued), "spent": rows(b.Spent, spendRow),
	})
	return err
}

// newMemoryRows are the memories of a batch as rows that are new.
func newMemoryRows(b memory.Batch) (ids []models.RecordID, rows map[string]map[string]any) {
	projects := make(map[string]string, len(b.Sessions))
	for _, s := range b.Sessions {
		projects[s.ID] = s.Project
	}
	rows = make(map[string]map[string]any, len(b.Memories))
	for _, m := range b.Memories {
		first := book.NewRow(m, projects[m.Session])
		row := memoryCodec.row(first.Memory)
		row["used_at"], row["home"] = row["created_at"], first.Home
		ids = append(ids, recordID("memory", m.ID))
		rows[m.ID] = row
	}
	return ids, rows
}

// firstUses keeps only the first use of a memory by a session: an existence check does
// not see the rows of its own transaction.
func firstUses(uses []memory.Use) []memory.Use {
	type occasion struct{ memory, session string }
	known := make(map[occasion]bool, len(uses))
	return slices.DeleteFunc(slices.Clone(uses), func(u memory.Use) bool {
		key := occasion{u.Memory, u.Session}
		defer func() { known[key] = true }()
		return known[key]
	})
}

// CanWrite implements storetest.Store.
func (s *Store) CanWrite(ctx context.Context) error {
	if err := s.conn.CanWrite(ctx); err != nil {
		return fmt.Errorf("write to the store: %w", domain(err))
	}
	return nil
}
