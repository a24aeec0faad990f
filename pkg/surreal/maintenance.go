package surreal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	standingFields = `home, uses, sessions, projects, used_at, used_on, retired_at, user_written, done, kept,
	superseded_by, merged_into, derived_from, changed_at, due_on`
	rowFields = memoryFields + ", " + standingFields
	// bareFields are what a row is without what it says.
	bareFields = `record::id(id) AS id, project, scope, type, kind, status, source, importance, pinned, created_at, last_seen_at,
	home, uses, sessions, projects, used_at, used_on, retired_at, user_written, done, kept, superseded_by, merged_into,
	changed_at, due_on`
	// Edits and successful commands stay with their session whoever saw them.
	evidenceFields = `, IF search_text = NONE THEN 0 ELSE array::len(array::distinct(->seen_in.out)) END AS seen_sessions
	, IF search_text = NONE THEN 0 ELSE array::len(array::distinct(->seen_in.out.project)) END AS seen_projects`
)

// newMemoryRows are the memories of a batch as rows that are new.
func newMemoryRows(b memory.Batch) []map[string]any {
	projects := make(map[string]string, len(b.Sessions))
	for _, s := range b.Sessions {
		projects[s.ID] = s.Project
	}
	all := make([]map[string]any, 0, len(b.Memories))
	for _, m := range b.Memories {
		row := memoryRow(m)
		row["used_at"] = row["created_at"]
		row["home"] = m.Project
		if m.Project == "" {
			row["home"] = projects[m.Session]
		}
		all = append(all, row)
	}
	return all
}

// fullRow is a row with its standing.
func fullRow(r memory.Row) map[string]any {
	row := memoryRow(r.Memory)
	row["home"], row["uses"], row["sessions"], row["projects"] = r.Home, r.Uses, r.Sessions, r.Projects
	row["used_at"], row["used_on"], row["retired_at"] = at(r.UsedAt), r.UsedOn, at(r.RetiredAt)
	row["user_written"], row["done"], row["kept"] = r.UserWritten, r.Done, r.Kept
	row["superseded_by"], row["merged_into"] = r.SupersededBy, r.MergedInto
	row["derived_from"] = append([]string{}, r.DerivedFrom...)
	return row
}

type standingRecord struct {
	Home         string                `json:"home"`
	Uses         int                   `json:"uses"`
	Sessions     int                   `json:"sessions"`
	Projects     int                   `json:"projects"`
	UsedAt       models.CustomDateTime `json:"used_at"`
	UsedOn       float64               `json:"used_on"`
	RetiredAt    models.CustomDateTime `json:"retired_at"`
	UserWritten  bool                  `json:"user_written"`
	Done         bool                  `json:"done"`
	Kept         bool                  `json:"kept"`
	SupersededBy string                `json:"superseded_by"`
	MergedInto   string                `json:"merged_into"`
	DerivedFrom  []string              `json:"derived_from"`
	ChangedAt    int64                 `json:"changed_at"`
	DueOn        float64               `json:"due_on"`
	SeenSessions int                   `json:"seen_sessions"`
	SeenProjects int                   `json:"seen_projects"`
}

func (r standingRecord) row(m memory.Memory) memory.Row {
	row := memory.Row{
		Memory: m, Home: r.Home, Uses: r.Uses, Sessions: max(r.Sessions, r.SeenSessions), Projects: max(r.Projects, r.SeenProjects),
		UsedAt: instant(r.UsedAt), UsedOn: r.UsedOn, RetiredAt: instant(r.RetiredAt),
		UserWritten: r.UserWritten, Done: r.Done, Kept: r.Kept,
		SupersededBy: r.SupersededBy, MergedInto: r.MergedInto, Mark: memory.Mark(r.ChangedAt), DueOn: r.DueOn,
	}
	if len(r.DerivedFrom) > 0 {
		row.DerivedFrom = r.DerivedFrom
	}
	return row
}

func decodeRows(result results, i int) ([]memory.Row, error) {
	memories, err := decodeMemories(result, i)
	if err != nil {
		return nil, err
	}
	var standings []standingRecord // the SDK cannot decode into an embedded struct
	if err := result.decode(i, &standings); err != nil {
		return nil, err
	}
	rows := make([]memory.Row, 0, len(memories))
	for j, m := range memories {
		rows = append(rows, standings[j].row(m))
	}
	return rows, nil
}

func (s *Store) selectRows(ctx context.Context, sql string, vars map[string]any) ([]memory.Row, error) {
	result, err := s.conn.execIdempotent(ctx, sql, vars)
	if err != nil {
		return nil, domain(err)
	}
	return decodeRows(result, 0)
}

func memoryIDs(ids []string) []models.RecordID {
	records := make([]models.RecordID, 0, len(ids))
	for _, id := range ids {
		records = append(records, recordID("memory", id))
	}
	return records
}

// firstUses leaves of several uses of a memory by a session the first: an
// existence check does not see the rows of its own transaction.
func firstUses(uses []memory.Use) []memory.Use {
	type occasion struct{ memory, session string }
	known := make(map[occasion]bool, len(uses))
	return slices.DeleteFunc(slices.Clone(uses), func(u memory.Use) bool {
		key := occasion{u.Memory, u.Session}
		defer func() { known[key] = true }()
		return known[key]
	})
}

func dayRow(d memory.ActiveDay) map[string]any {
	return map[string]any{"id": recordID("active_day", d.Project+"/"+d.Day), "project": d.Project, "day": d.Day}
}

func useRow(u memory.Use) map[string]any {
	return map[string]any{
		"id": recordID("used_in", u.Memory+"-"+u.Session), "in": recordID("memory", u.Memory),
		"out": recordID("session", u.Session), "how": u.How, "at": at(u.At),
	}
}

// ActiveDays implements storetest.Store.
func (s *Store) ActiveDays(ctx context.Context) (map[string][]string, error) {
	result, err := s.conn.execIdempotent(ctx, "SELECT project, array::group(day) AS days FROM active_day GROUP BY project", nil)
	if err != nil {
		return nil, fmt.Errorf("read the active days: %w", domain(err))
	}
	var found []struct {
		Project string   `json:"project"`
		Days    []string `json:"days"`
	}
	if err := result.decode(0, &found); err != nil {
		return nil, fmt.Errorf("read the active days: %w", err)
	}
	days := make(map[string][]string, len(found))
	for _, one := range found {
		slices.Sort(one.Days)
		days[one.Project] = one.Days
	}
	return days, nil
}

// changeSQL reads which rows changed, and sameSQL those that changed at the very same
// instant as the last one of a page, which the next page would miss. They tell what
// search looks at instead of asking for it: a LIMIT is applied before any condition
// beside the one on the index.
const (
	changeFields = "record::id(id) AS id, changed_at, search_text != NONE AS searchable"
	changeSQL    = "SELECT " + changeFields + " FROM memory WHERE changed_at > $after ORDER BY changed_at LIMIT $limit"
	sameSQL      = "SELECT " + changeFields + " FROM memory WHERE changed_at = $last"
)

// Changed implements storetest.Store. A page may hold more rows than the limit, if
// they changed at one instant.
func (s *Store) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	page, err := s.changedPage(ctx, q)
	if err != nil {
		return memory.ChangePage{Mark: q.After}, fmt.Errorf("read what changed: %w", err)
	}
	return page, nil
}

// change says of a row that changed whether search looks at it.
type change struct {
	ID         string `json:"id"`
	ChangedAt  int64  `json:"changed_at"`
	Searchable bool   `json:"searchable"`
}

func (s *Store) changes(ctx context.Context, sql string, vars map[string]any) ([]change, error) {
	result, err := s.conn.execIdempotent(ctx, sql, vars)
	if err != nil {
		return nil, domain(err)
	}
	var changes []change
	return changes, result.decode(0, &changes)
}

func (s *Store) changedPage(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	changes, err := s.changes(ctx, changeSQL, map[string]any{"after": int64(q.After), "limit": q.Limit})
	if err != nil || len(changes) == 0 {
		return memory.ChangePage{Mark: q.After, Last: true}, err
	}
	last := changes[len(changes)-1].ChangedAt
	page := memory.ChangePage{Mark: memory.Mark(last), Last: len(changes) < q.Limit}
	if !page.Last {
		same, err := s.changes(ctx, sameSQL, map[string]any{"last": last})
		if err != nil {
			return page, err
		}
		changes = append(slices.DeleteFunc(changes, func(c change) bool { return c.ChangedAt == last }), same...)
	}
	var ids []string
	for _, c := range changes {
		if c.Searchable {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return page, nil
	}
	// In their order. What has changed since is there again on a later page.
	page.Rows, err = s.selectRows(ctx, "SELECT "+rowFields+" FROM $ids WHERE id != NONE AND changed_at <= $last",
		map[string]any{"ids": memoryIDs(ids), "last": last})
	return page, err
}

// Scan implements storetest.Store. A condition beside the range of ids would have the
// engine read all that is left of the table for each page.
func (s *Store) Scan(ctx context.Context, q memory.ScanQuery) (memory.ScanPage, error) {
	fields := rowFields
	if q.Bare {
		fields = bareFields
	}
	rows, err := s.selectRows(ctx, "SELECT "+fields+" FROM type::record('memory', $after>..) LIMIT $limit",
		map[string]any{"after": q.After, "limit": q.Limit})
	if err != nil {
		return memory.ScanPage{}, fmt.Errorf("read all rows: %w", err)
	}
	page := memory.ScanPage{Last: len(rows) < q.Limit}
	if len(rows) > 0 {
		page.End = rows[len(rows)-1].Memory.ID
	}
	for _, row := range rows {
		if !q.Searchable || row.Memory.Kind.Searchable() {
			page.Rows = append(page.Rows, row)
		}
	}
	return page, nil
}

// Mark implements storetest.Store. What is being committed just now may have taken its
// mark already.
func (s *Store) Mark(ctx context.Context) (memory.Mark, error) {
	result, err := s.conn.execIdempotent(ctx, "RETURN time::nano() - $overlap", map[string]any{"overlap": overlap.Nanoseconds()})
	if err != nil {
		return 0, fmt.Errorf("read the store's clock: %w", domain(err))
	}
	var now int64
	if err := result.decode(0, &now); err != nil {
		return 0, fmt.Errorf("read the store's clock: %w", err)
	}
	return memory.Mark(now), nil
}

const (
	changedProjectsSQL = `
SELECT project, count() AS rows, count(kind IN ['command', 'failure', 'edit'] AND last_seen_at > retired_at) AS deeds,
	math::max(changed_at) AS last
	FROM (SELECT project, kind, last_seen_at, retired_at, changed_at FROM memory WHERE changed_at > $after ORDER BY changed_at LIMIT $limit)
	GROUP BY project`
	// changedAtOnce bounds what one call looks at, so that it ends in time on a busy
	// machine.
	changedAtOnce = 10_000
)

// ChangedProjects implements storetest.Store.
func (s *Store) ChangedProjects(ctx context.Context, after memory.Mark) (map[string]memory.ProjectChanges, memory.Mark, error) {
	changes := map[string]memory.ProjectChanges{}
	for {
		result, err := s.conn.execIdempotent(ctx, changedProjectsSQL, map[string]any{"after": int64(after), "limit": changedAtOnce})
		if err != nil {
			return nil, after, fmt.Errorf("read which projects changed: %w", domain(err))
		}
		var found []struct {
			Project string `json:"project"`
			Rows    int    `json:"rows"`
			Deeds   int    `json:"deeds"`
			Last    int64  `json:"last"`
		}
		if err := result.decode(0, &found); err != nil {
			return nil, after, fmt.Errorf("read which projects changed: %w", err)
		}
		rows, last := 0, after
		for _, one := range found {
			changes[one.Project] = memory.ProjectChanges{Deeds: one.Deeds > 0 || changes[one.Project].Deeds}
			rows, last = rows+one.Rows, max(last, memory.Mark(one.Last))
		}
		if rows < changedAtOnce {
			return changes, last, nil
		}
		// Others may have changed at the very instant of the last one: once more from
		// just before it. No transaction writes so many rows that all of them did.
		after = max(after+1, last-1)
	}
}

// Rows implements storetest.Store.
func (s *Store) Rows(ctx context.Context, ids []string) ([]memory.Row, error) {
	rows, err := s.selectRows(ctx, "SELECT "+rowFields+evidenceFields+" FROM $ids WHERE id != NONE", map[string]any{"ids": memoryIDs(ids)})
	if err != nil {
		return nil, fmt.Errorf("read %d rows: %w", len(ids), err)
	}
	return rows, s.countMerged(ctx, rows)
}

const mergedSQL = `
SELECT record::id(id) AS id, merged_into, ->seen_in.out AS sessions, ->seen_in.out.project AS projects
	FROM $ids WHERE id != NONE`

// countMerged counts for rows that took others in the sessions and projects of
// all of them together.
func (s *Store) countMerged(ctx context.Context, rows []memory.Row) error {
	var ids []string
	for _, row := range rows {
		if len(row.DerivedFrom) > 0 {
			ids = append(append(ids, row.Memory.ID), row.DerivedFrom...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	result, err := s.conn.execIdempotent(ctx, mergedSQL, map[string]any{"ids": memoryIDs(slices.Compact(ids))})
	if err != nil {
		return fmt.Errorf("count the sessions of merged memories: %w", domain(err))
	}
	var found []struct {
		ID         string            `json:"id"`
		MergedInto string            `json:"merged_into"`
		Sessions   []models.RecordID `json:"sessions"`
		Projects   []string          `json:"projects"`
	}
	if err := result.decode(0, &found); err != nil {
		return fmt.Errorf("count the sessions of merged memories: %w", err)
	}
	sessions, projects := map[string]map[string]bool{}, map[string]map[string]bool{}
	note := func(sets map[string]map[string]bool, survivor string, names []string) {
		if sets[survivor] == nil {
			sets[survivor] = map[string]bool{}
		}
		for _, name := range names {
			sets[survivor][name] = true
		}
	}
	for _, one := range found {
		survivor := one.ID
		if one.MergedInto != "" {
			survivor = one.MergedInto
		}
		note(sessions, survivor, names(one.Sessions))
		note(projects, survivor, one.Projects)
	}
	for i := range rows {
		id := rows[i].Memory.ID
		rows[i].Sessions = max(rows[i].Sessions, len(sessions[id]))
		rows[i].Projects = max(rows[i].Projects, len(projects[id]))
	}
	return nil
}

func names(records []models.RecordID) []string {
	all := make([]string, 0, len(records))
	for _, record := range records {
		all = append(all, record.String())
	}
	return all
}

// An index serves a condition on a variable, and not on a field of one.
const dueProjectsSQL = `
RETURN $clocks.filter(|$clock| {
	LET $project = $clock.project;
	LET $reading = $clock.reading;
	!array::is_empty(SELECT project, status, due_on FROM memory WHERE project = $project AND status = 'active' AND due_on <= $reading
		ORDER BY project, status, due_on LIMIT 1)
	OR !array::is_empty(SELECT project, status, due_on FROM memory WHERE project = $project AND status = 'archived' AND due_on <= $reading
		ORDER BY project, status, due_on LIMIT 1)
}).map(|$clock| $clock.project)`

// DueProjects implements storetest.Store.
func (s *Store) DueProjects(ctx context.Context, readings map[string]float64) ([]string, error) {
	clocks := make([]map[string]any, 0, len(readings))
	for project, reading := range readings {
		clocks = append(clocks, map[string]any{"project": project, "reading": reading})
	}
	result, err := s.conn.execIdempotent(ctx, dueProjectsSQL, map[string]any{"clocks": clocks})
	if err != nil {
		return nil, fmt.Errorf("read in which of %d projects something is due: %w", len(readings), domain(err))
	}
	var due []string
	if err := result.decode(0, &due); err != nil {
		return nil, fmt.Errorf("read in which of %d projects something is due: %w", len(readings), err)
	}
	return due, nil
}

const dueSQL = `
SELECT ` + rowFields + ` FROM memory WHERE project = $project AND status = 'active' AND due_on <= $reading
	ORDER BY project, status, due_on LIMIT $limit;
SELECT ` + rowFields + ` FROM memory WHERE project = $project AND status = 'archived' AND due_on <= $reading
	ORDER BY project, status, due_on LIMIT $limit;`

// Due implements storetest.Store. Of active and archived rows each gets half of the
// limit and what the other leaves, so that neither keeps the other waiting.
// Sessions are not counted.
func (s *Store) Due(ctx context.Context, project string, reading float64, limit int) ([]memory.Row, error) {
	result, err := s.conn.execIdempotent(ctx, dueSQL, map[string]any{
		"project": project, "reading": reading, "limit": limit,
	})
	if err != nil {
		return nil, fmt.Errorf("read what is due in %q: %w", project, domain(err))
	}
	active, errActive := decodeRows(result, 0)
	archived, errArchived := decodeRows(result, 1)
	if err := errors.Join(errActive, errArchived); err != nil {
		return nil, fmt.Errorf("read what is due in %q: %w", project, err)
	}
	few := max(limit-len(archived), (limit+1)/2)
	rows := append(active[:min(few, len(active))], archived...)
	return rows[:min(limit, len(rows))], nil
}

const rescheduleSQL = `FOR $row IN $rows { UPDATE $row.id SET due_on = $row.due_on RETURN NONE };`

// Reschedule implements storetest.Store.
func (s *Store) Reschedule(ctx context.Context, due map[string]float64) error {
	rows := make([]map[string]any, 0, len(due))
	for id, reading := range due {
		rows = append(rows, map[string]any{"id": recordID("memory", id), "due_on": reading})
	}
	if len(rows) == 0 {
		return nil
	}
	if _, err := s.conn.execIdempotent(ctx, rescheduleSQL, map[string]any{"rows": rows}); err != nil {
		return fmt.Errorf("reschedule %d memories: %w", len(rows), domain(err))
	}
	return nil
}

const (
	bandsSQL    = `SELECT record::id(id) AS id, memories FROM $ids WHERE id != NONE`
	newBandsSQL = `INSERT IGNORE INTO band $fresh RETURN NONE`
	// bandsAtOnce bounds a write, so that it ends in time on a busy machine.
	bandsAtOnce = 1000
	// Never in one transaction with the insert: each would look its row up in all
	// that it has written.
	joinBandsSQL = `FOR $row IN $joined { UPDATE $row.id SET memories = array::union(memories, $row.memories) RETURN NONE };`
)

// Candidates implements storetest.Store.
func (s *Store) Candidates(ctx context.Context, keys map[string][]string) ([]string, error) {
	members := map[string][]string{} // by key
	for id, all := range keys {
		for _, key := range all {
			members[key] = append(members[key], id)
		}
	}
	there, err := s.bands(ctx, slices.Collect(maps.Keys(members)))
	if err == nil {
		err = s.noteBands(ctx, members, there)
	}
	if err != nil {
		return nil, fmt.Errorf("find candidates of %d memories: %w", len(keys), err)
	}
	candidates := map[string]bool{}
	for key, ids := range members {
		sharing := slices.Concat(there[key], ids)
		slices.Sort(sharing)
		if sharing = slices.Compact(sharing); len(sharing) < 2 {
			continue
		}
		for _, id := range sharing {
			candidates[id] = true
		}
	}
	return slices.Collect(maps.Keys(candidates)), nil
}

// bands are the memories under those of the keys that are there.
func (s *Store) bands(ctx context.Context, keys []string) (map[string][]string, error) {
	records := make([]models.RecordID, 0, len(keys))
	for _, key := range keys {
		records = append(records, recordID("band", key))
	}
	result, err := s.conn.execIdempotent(ctx, bandsSQL, map[string]any{"ids": records})
	if err != nil {
		return nil, domain(err)
	}
	var found []struct {
		ID       string   `json:"id"`
		Memories []string `json:"memories"`
	}
	if err := result.decode(0, &found); err != nil {
		return nil, err
	}
	there := make(map[string][]string, len(found))
	for _, band := range found {
		there[band.ID] = band.Memories
	}
	return there, nil
}

// noteBands notes the members of keys that are not there yet. What another agent
// has noted in between it adds to there.
func (s *Store) noteBands(ctx context.Context, members, there map[string][]string) error {
	var fresh []string
	for key := range members {
		if _, exists := there[key]; !exists {
			fresh = append(fresh, key)
		}
	}
	for part := range slices.Chunk(fresh, bandsAtOnce) {
		if _, err := s.conn.execIdempotent(ctx, newBandsSQL, map[string]any{"fresh": bandRows(part, members)}); err != nil {
			return domain(err)
		}
		made, err := s.bands(ctx, part)
		if err != nil {
			return err
		}
		maps.Copy(there, made)
	}
	var joined []string
	for key, ids := range members {
		if slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(there[key], id) }) {
			joined = append(joined, key)
		}
	}
	for part := range slices.Chunk(joined, bandsAtOnce) {
		if _, err := s.conn.execIdempotent(ctx, joinBandsSQL, map[string]any{"joined": bandRows(part, members)}); err != nil {
			return domain(err)
		}
	}
	return nil
}

func bandRows(keys []string, members map[string][]string) []map[string]any {
	all := make([]map[string]any, 0, len(keys))
	for _, key := range keys {
		all = append(all, map[string]any{"id": recordID("band", key), "memories": members[key]})
	}
	return all
}

const tokensSQL = `
SELECT scope, <int> math::sum(token_count) AS tokens FROM memory WHERE project = $project AND status = 'active' GROUP BY scope;`

// PlaceTokens implements storetest.Store.
func (s *Store) PlaceTokens(ctx context.Context, project string) (map[memory.Place]int, error) {
	result, err := s.conn.execIdempotent(ctx, tokensSQL, map[string]any{"project": project})
	if err != nil {
		return nil, fmt.Errorf("count the tokens of %q: %w", project, domain(err))
	}
	var sums []totalRecord
	if err := result.decode(0, &sums); err != nil {
		return nil, fmt.Errorf("count the tokens of %q: %w", project, err)
	}
	tokens := make(map[memory.Place]int, len(sums))
	for _, sum := range sums {
		tokens[memory.Place{Scope: memory.Scope(sum.Scope), Project: project}] = sum.Tokens
	}
	return tokens, nil
}

const totalsSQL = `
SELECT project, scope, status, count() AS rows, <int> math::sum(token_count) AS tokens FROM memory
	WHERE project = $project AND status = 'active' GROUP BY project, scope, status;
SELECT project, scope, status, count() AS rows FROM memory
	WHERE project = $project AND status = 'archived' GROUP BY project, scope, status;
SELECT project, scope, count() AS rows FROM memory WHERE retired_at > $since AND project = $project GROUP BY project, scope;`

type totalRecord struct {
	Project string `json:"project"`
	Scope   string `json:"scope"`
	Status  string `json:"status"`
	Rows    int    `json:"rows"`
	Tokens  int    `json:"tokens"`
}

// PlaceTotals implements storetest.Store.
func (s *Store) PlaceTotals(ctx context.Context, project string, since time.Time) ([]memory.PlaceTotal, error) {
	result, err := s.conn.execIdempotent(ctx, totalsSQL, map[string]any{"project": project, "since": at(since)})
	if err != nil {
		return nil, fmt.Errorf("sum up the places of %q: %w", project, domain(err))
	}
	var active, archived, retired []totalRecord
	if err := errors.Join(result.decode(0, &active), result.decode(1, &archived), result.decode(2, &retired)); err != nil {
		return nil, fmt.Errorf("sum up the places of %q: %w", project, err)
	}
	totals := map[memory.Place]*memory.PlaceTotal{}
	of := func(r totalRecord) *memory.PlaceTotal {
		place := memory.Place{Scope: memory.Scope(r.Scope), Project: r.Project}
		if totals[place] == nil {
			totals[place] = &memory.PlaceTotal{Place: place}
		}
		return totals[place]
	}
	for _, sum := range active {
		of(sum).Rows += sum.Rows
		of(sum).Tokens += sum.Tokens
	}
	for _, sum := range archived {
		of(sum).Rows += sum.Rows
	}
	for _, sum := range retired {
		of(sum).Retired += sum.Rows
	}
	all := make([]memory.PlaceTotal, 0, len(totals))
	for _, total := range totals {
		all = append(all, *total)
	}
	return all, nil
}

// InSight implements storetest.Store. Sessions are not counted.
func (s *Store) InSight(ctx context.Context, p memory.Place) ([]memory.Row, error) {
	rows, err := s.selectRows(ctx, "SELECT "+rowFields+" FROM memory WHERE project = $project AND status = 'active' AND scope = $scope",
		map[string]any{"project": p.Project, "scope": string(p.Scope)})
	if err != nil {
		return nil, fmt.Errorf("read the %s scope of %q: %w", p.Scope, p.Project, err)
	}
	return rows, nil
}

// Two statements instead of IN let the index on project, told and recency serve
// the newest sessions.
const deedsSQL = `
LET $told = (SELECT id, project, told, recency FROM session WHERE project = $project AND told = true ORDER BY project, told, recency LIMIT $limit);
LET $untold = (SELECT id, project, told, recency FROM session WHERE project = $project AND told = false ORDER BY project, told, recency LIMIT $limit);
LET $sessions = array::slice((SELECT id, recency FROM array::concat($told, $untold) ORDER BY recency), 0, $limit);
SELECT record::id(id) AS session, <-seen_in.{ at, id, in } AS seen FROM $sessions.id;`

const deedMemoriesSQL = `
SELECT record::id(id) AS id, project, kind, command, IF kind = 'failure' THEN detail ELSE '' END AS detail,
	IF kind = 'edit' THEN files[0] ?? '' ELSE '' END AS file
	FROM $ids WHERE kind IN ['command', 'failure', 'edit']`

// Deeds implements storetest.Store. The memories are read after what saw them, each
// once: through every sighting they would cost three times as much.
func (s *Store) Deeds(ctx context.Context, project string, sessions int) ([]memory.Deed, error) {
	deeds, err := s.deeds(ctx, project, sessions)
	if err != nil {
		return nil, fmt.Errorf("read what the sessions of %q did: %w", project, domain(err))
	}
	slices.SortFunc(deeds, func(a, b memory.Deed) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return deeds, nil
}

func (s *Store) deeds(ctx context.Context, project string, sessions int) ([]memory.Deed, error) {
	result, err := s.conn.execIdempotent(ctx, deedsSQL, map[string]any{"project": project, "limit": sessions})
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
	if err := result.decode(3, &found); err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, session := range found {
		for _, one := range session.Seen {
			wanted[fmt.Sprint(one.In.ID)] = true
		}
	}
	told, err := s.deedMemories(ctx, slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return nil, err
	}
	var deeds []memory.Deed
	for _, session := range found {
		for _, one := range session.Seen {
			if deed, is := told[fmt.Sprint(one.In.ID)]; is {
				deed.ID, deed.Session, deed.At = fmt.Sprint(one.ID.ID), session.Session, instant(one.At)
				deeds = append(deeds, deed)
			}
		}
	}
	return deeds, nil
}

// deedMemories are what memories tell of deeds, by id.
func (s *Store) deedMemories(ctx context.Context, ids []string) (map[string]memory.Deed, error) {
	result, err := s.conn.execIdempotent(ctx, deedMemoriesSQL, map[string]any{"ids": memoryIDs(ids)})
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
	if err := result.decode(0, &found); err != nil {
		return nil, err
	}
	told := make(map[string]memory.Deed, len(found))
	for _, m := range found {
		told[m.ID] = memory.Deed{
			Memory: m.ID, Project: m.Project, Kind: memory.Kind(m.Kind), Command: m.Command, Detail: m.Detail, File: m.File,
		}
	}
	return told, nil
}

const runFields = `record::id(id) AS id, job, trigger, started_at, ended_at, examined, changed, tokens_freed, error, notes`

func runRow(r memory.Run) map[string]any {
	return map[string]any{
		"id": recordID("maintenance_run", r.ID), "job": r.Job, "trigger": r.Trigger, "started_at": at(r.StartedAt),
		"ended_at": at(r.EndedAt), "examined": r.Examined, "changed": r.Changed, "tokens_freed": r.TokensFreed,
		"error": r.Error, "notes": append([]string{}, r.Notes...),
	}
}

type runRecord struct {
	ID          string                `json:"id"`
	Job         string                `json:"job"`
	Trigger     string                `json:"trigger"`
	StartedAt   models.CustomDateTime `json:"started_at"`
	EndedAt     models.CustomDateTime `json:"ended_at"`
	Examined    int                   `json:"examined"`
	Changed     int                   `json:"changed"`
	TokensFreed int                   `json:"tokens_freed"`
	Error       string                `json:"error"`
	Notes       []string              `json:"notes"`
}

func (r runRecord) run() memory.Run {
	run := memory.Run{
		ID: r.ID, Job: r.Job, Trigger: r.Trigger, StartedAt: instant(r.StartedAt), EndedAt: instant(r.EndedAt),
		Examined: r.Examined, Changed: r.Changed, TokensFreed: r.TokensFreed, Error: r.Error,
	}
	if len(r.Notes) > 0 {
		run.Notes = r.Notes
	}
	return run
}

// actionRow is the record of an action. What changed stands in it as JSON has it,
// so that any field of a state can be in it.
func actionRow(run string, a memory.Action) map[string]any {
	before, after := map[string]any{}, map[string]any{}
	switch {
	case a.Row != nil && a.Kind == memory.ActionRemove:
		before = asObject(a.Row)
	case a.Row != nil:
		after = asObject(a.Row)
	default:
		names := a.After.Changed(a.Before)
		before, after = only(asObject(a.Before), names), only(asObject(a.After), names)
	}
	return map[string]any{
		"id": recordID("maintenance_action", a.ID), "run": recordID("maintenance_run", run),
		"memory": recordID("memory", a.Memory), "kind": a.Kind, "reason": a.Reason, "before": before, "after": after,
	}
}

// asObject is a value as JSON has it.
func asObject(value any) map[string]any {
	object := map[string]any{}
	data, _ := json.Marshal(value) // states and rows hold nothing that JSON cannot
	_ = json.Unmarshal(data, &object)
	return object
}

func only(object map[string]any, names []string) map[string]any {
	for name := range object {
		if !slices.Contains(names, name) {
			delete(object, name)
		}
	}
	return object
}

type actionRecord struct {
	ID     string         `json:"id"`
	Memory string         `json:"memory"`
	Kind   string         `json:"kind"`
	Reason string         `json:"reason"`
	Before map[string]any `json:"before"`
	After  map[string]any `json:"after"`
}

func (r actionRecord) action() (memory.Action, error) {
	a := memory.Action{ID: r.ID, Memory: r.Memory, Kind: r.Kind, Reason: r.Reason}
	if whole, removed := r.Before["memory"].(map[string]any); removed && whole != nil {
		return a, fromObject(r.Before, &a.Row)
	}
	if whole, created := r.After["memory"].(map[string]any); created && whole != nil {
		return a, fromObject(r.After, &a.Row)
	}
	return a, errors.Join(fromObject(r.Before, &a.Before), fromObject(r.After, &a.After))
}

func fromObject(object map[string]any, into any) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// commitSQL makes each action whose row is as it was planned on, and records
// those that it made. An action that is recorded is not made again. Of a group of
// which a row is not as it was planned on none is made.
// An index serves a condition on a variable, as $of, and not on a field of one.
const commitSQL = `
BEGIN;
IF $lease != NONE AND array::is_empty(SELECT VALUE id FROM $lease.id
	WHERE holder = $lease.holder AND token = $lease.token AND expires_at > time::now()) { THROW '` + leaseLost + `' };
IF $run != NONE {
	INSERT IGNORE INTO maintenance_run [$run] RETURN NONE;
	UPDATE $run.id MERGE $run RETURN NONE;
};
LET $broken = $grouped.filter(|$a| !record::exists($a.record) AND $a.memory.changed_at != $a.mark).map(|$a| $a.group);
FOR $a IN $actions {
	LET $of = $a.memory;
	LET $made = IF record::exists($a.record.id) OR ($a.group != NONE AND $a.group IN $broken) {
		[]
	} ELSE IF $a.create != NONE {
		IF record::exists($a.memory) OR (!$keep AND !array::is_empty(SELECT VALUE id FROM maintenance_action
			WHERE memory = $of AND kind = 'remove')) { [] } ELSE { INSERT INTO memory $a.create RETURN VALUE true }
	} ELSE IF $a.remove {
		(DELETE $a.memory WHERE changed_at = $a.mark RETURN BEFORE)
	} ELSE {
		(UPDATE $a.memory MERGE object::extend($a.set, { changed_at: time::nano(), due_on: 0 })
			WHERE changed_at = $a.mark AND ($keep OR !put_away OR $a.set.status != 'active')
				AND ($a.needs = NONE OR (SELECT VALUE status FROM ONLY $a.needs) IN ['created', 'active'])
			RETURN VALUE true)
	};
	IF array::len($made) > 0 {
		INSERT INTO maintenance_action $a.record RETURN NONE;
		IF $keep { UPDATE $a.memory SET kept = true RETURN NONE };
		IF $a.said { UPDATE $a.memory SET search_text = content + '\n' + detail WHERE search_text != NONE RETURN NONE };
		DELETE $a.cut RETURN NONE;
		INSERT RELATION IGNORE INTO supersedes $a.supersedes RETURN NONE;
		INSERT RELATION IGNORE INTO derived_from $a.derived RETURN NONE;
	};
};
IF $job != NONE {
	LET $stood = (SELECT mark, slot FROM ONLY $job.id);
	UPSERT $job.id SET mark = math::max([$stood.mark ?? 0, math::min([$job.mark, time::nano() - $overlap])]),
		slot = time::max([$stood.slot ?? d'1970-01-01T00:00:00Z', $job.slot]) RETURN NONE
};
COMMIT;
SELECT VALUE record::id(id) FROM $records WHERE id != NONE;`

const (
	leaseLost = "the maintenance lease was lost"
	// overlap is how far a job looks back behind the last change it has seen: a
	// transaction that began before it may have ended after it.
	overlap = 5 * time.Second
)

// Commit implements storetest.Store.
func (s *Store) Commit(ctx context.Context, c memory.Commit) ([]string, error) {
	s.amending.Lock()
	defer s.amending.Unlock()
	vars := map[string]any{"run": models.None, "keep": c.Keep, "overlap": overlap.Nanoseconds(), "lease": models.None, "job": models.None}
	if c.Run.ID != "" {
		vars["run"] = runRow(c.Run)
	}
	if c.Lease != nil {
		vars["lease"] = map[string]any{"id": recordID("lease", c.Lease.Name), "holder": c.Lease.Holder, "token": c.Lease.Token}
	}
	if c.Job != nil {
		vars["job"] = map[string]any{"id": recordID("maintenance_job", c.Job.Job), "mark": int64(c.Job.Mark), "slot": at(c.Job.Slot)}
	}
	actions, records := make([]map[string]any, 0, len(c.Run.Actions)), make([]models.RecordID, 0, len(c.Run.Actions))
	for _, a := range c.Run.Actions {
		actions = append(actions, commitRow(c.Run, a))
		records = append(records, recordID("maintenance_action", a.ID))
	}
	vars["actions"], vars["records"], vars["grouped"] = actions, records, groupedRows(c.Run.Actions)
	result, err := s.conn.execIdempotent(ctx, commitSQL, vars)
	var failed *StatementError
	if errors.As(err, &failed) && strings.Contains(failed.Message, leaseLost) {
		return nil, fmt.Errorf("commit run %s of %s: %w", c.Run.ID, c.Run.Job, memory.ErrLeaseLost)
	}
	if err != nil {
		return nil, fmt.Errorf("commit run %s of %s: %w", c.Run.ID, c.Run.Job, domain(err))
	}
	var recorded []string
	if err := result.decode(len(result)-1, &recorded); err != nil {
		return nil, fmt.Errorf("commit run %s of %s: %w", c.Run.ID, c.Run.Job, err)
	}
	return missed(c.Run.Actions, recorded), nil
}

func missed(actions []memory.Action, recorded []string) []string {
	made := make(map[string]bool, len(recorded))
	for _, id := range recorded {
		made[id] = true
	}
	var ids []string
	for _, a := range actions {
		if !made[a.ID] {
			ids = append(ids, a.Memory)
		}
	}
	return ids
}

// commitRow is what commitSQL needs of an action.
func commitRow(run memory.Run, a memory.Action) map[string]any {
	row := map[string]any{
		"record": actionRow(run.ID, a), "memory": recordID("memory", a.Memory), "mark": int64(a.Mark), "needs": models.None,
		"group": models.None, "create": models.None, "remove": false, "set": map[string]any{}, "said": false,
		"cut": []models.RecordID{}, "supersedes": []map[string]any{}, "derived": []map[string]any{},
	}
	if a.Needs != "" {
		row["needs"] = recordID("memory", a.Needs)
	}
	if a.Group != "" {
		row["group"] = a.Group
	}
	switch {
	case a.Row != nil && a.Kind == memory.ActionRemove:
		row["remove"] = true
	case a.Row != nil:
		row["create"] = fullRow(*a.Row)
		row["derived"] = derivedRows(a.Memory, nil, a.Row.DerivedFrom, run.StartedAt)
	default:
		changed := a.After.Changed(a.Before)
		row["set"] = stateFields(a.After, changed)
		row["said"] = slices.Contains(changed, "content") || slices.Contains(changed, "detail")
		row["cut"], row["supersedes"] = supersededRows(a, run.StartedAt)
		row["derived"] = derivedRows(a.Memory, a.Before.DerivedFrom, a.After.DerivedFrom, run.StartedAt)
	}
	return row
}

// groupedRows are the actions that are made all or none, with what decides.
func groupedRows(actions []memory.Action) []map[string]any {
	rows := []map[string]any{}
	for _, a := range actions {
		if a.Group != "" {
			rows = append(rows, map[string]any{
				"record": recordID("maintenance_action", a.ID), "memory": recordID("memory", a.Memory), "mark": int64(a.Mark), "group": a.Group,
			})
		}
	}
	return rows
}

// stateFields are the named fields of a state as columns.
func stateFields(s memory.State, names []string) map[string]any {
	all := map[string]any{
		"project": s.Project, "scope": string(s.Scope), "status": string(s.Status), "content": s.Content, "detail": s.Detail,
		"tags": append([]string{}, s.Tags...), "importance": s.Importance, "pinned": s.Pinned,
		"token_count": s.TokenCount, "token_encoding": s.TokenEncoding, "created_at": at(s.CreatedAt), "last_seen_at": at(s.LastSeenAt),
		"home": s.Home, "uses": s.Uses, "sessions": s.Sessions, "projects": s.Projects, "used_on": s.UsedOn, "retired_at": at(s.RetiredAt),
		"superseded_by": s.SupersededBy, "merged_into": s.MergedInto, "derived_from": append([]string{}, s.DerivedFrom...),
	}
	fields := only(all, names)
	if fields["status"] == string(memory.StatusActive) {
		fields["put_away"] = false
	}
	return fields
}

// supersededRows are the edges that an action takes away and adds.
func supersededRows(a memory.Action, when time.Time) (cut []models.RecordID, added []map[string]any) {
	cut, added = []models.RecordID{}, []map[string]any{}
	if a.Before.SupersededBy == a.After.SupersededBy {
		return cut, added
	}
	if a.Before.SupersededBy != "" {
		cut = append(cut, recordID("supersedes", a.Before.SupersededBy+"-"+a.Memory))
	}
	if a.After.SupersededBy != "" {
		added = append(added, edgeRow("supersedes", a.After.SupersededBy, a.Memory, when))
	}
	return cut, added
}

func derivedRows(id string, before, after []string, when time.Time) []map[string]any {
	edges := []map[string]any{}
	for _, source := range after {
		if !slices.Contains(before, source) {
			edges = append(edges, edgeRow("derived_from", id, source, when))
		}
	}
	return edges
}

func edgeRow(table, from, to string, when time.Time) map[string]any {
	return map[string]any{
		"id": recordID(table, from+"-"+to), "in": recordID("memory", from), "out": recordID("memory", to), "at": at(when),
	}
}

const runSQL = `
SELECT ` + runFields + ` FROM $range LIMIT 2;
SELECT record::id(id) AS id, record::id(memory) AS memory, kind, reason, before, after FROM maintenance_action
	WHERE run = (SELECT VALUE id FROM $range LIMIT 1)[0] ORDER BY id;`

// Run implements storetest.Store.
func (s *Store) Run(ctx context.Context, id string) (memory.Run, error) {
	result, err := s.conn.execIdempotent(ctx, runSQL, map[string]any{"range": beginningWith("maintenance_run", id)})
	if err != nil {
		return memory.Run{}, fmt.Errorf("read run %s: %w", id, domain(err))
	}
	var runs []runRecord
	var actions []actionRecord
	if err := errors.Join(result.decode(0, &runs), result.decode(1, &actions)); err != nil {
		return memory.Run{}, fmt.Errorf("read run %s: %w", id, err)
	}
	switch {
	case len(runs) == 0:
		return memory.Run{}, fmt.Errorf("run %s: %w", id, memory.ErrNotFound)
	case len(runs) > 1 && runs[0].ID != id:
		return memory.Run{}, fmt.Errorf("several runs begin with %s, give more of the id: %w", id, memory.ErrInvalid)
	}
	run := runs[0].run()
	for _, record := range actions {
		action, err := record.action()
		if err != nil {
			return run, fmt.Errorf("read action %s: %w", record.ID, err)
		}
		run.Actions = append(run.Actions, action)
	}
	return run, nil
}

// beginningWith is the range of the ids of a table that begin alike.
func beginningWith(table, beginning string) models.RecordID {
	return models.RecordID{Table: table, ID: &models.Range[string, models.BoundIncluded[string], models.BoundExcluded[string]]{
		Begin: &models.BoundIncluded[string]{Value: beginning},
		End:   &models.BoundExcluded[string]{Value: beginning + "\U0010ffff"},
	}}
}

// Job implements storetest.Store.
func (s *Store) Job(ctx context.Context, job string) (memory.JobState, error) {
	state := memory.JobState{Job: job}
	result, err := s.conn.execIdempotent(ctx, "SELECT mark, slot FROM $job", map[string]any{"job": recordID("maintenance_job", job)})
	if err != nil {
		return state, fmt.Errorf("read where job %s stands: %w", job, domain(err))
	}
	var found []struct {
		Mark int64                 `json:"mark"`
		Slot models.CustomDateTime `json:"slot"`
	}
	if err := result.decode(0, &found); err != nil {
		return state, fmt.Errorf("read where job %s stands: %w", job, err)
	}
	if len(found) > 0 {
		state.Mark, state.Slot = memory.Mark(found[0].Mark), instant(found[0].Slot)
	}
	return state, nil
}

// Interrupted implements storetest.Store.
func (s *Store) Interrupted(ctx context.Context) ([]memory.Run, error) {
	result, err := s.conn.execIdempotent(ctx, "SELECT "+runFields+" FROM maintenance_run WHERE ended_at = $never",
		map[string]any{"never": at(time.Time{})})
	if err != nil {
		return nil, fmt.Errorf("find interrupted runs: %w", domain(err))
	}
	return decodeRuns(result, 0)
}

func decodeRuns(result results, i int) ([]memory.Run, error) {
	var found []runRecord
	if err := result.decode(i, &found); err != nil {
		return nil, err
	}
	runs := make([]memory.Run, 0, len(found))
	for _, r := range found {
		runs = append(runs, r.run())
	}
	return runs, nil
}
