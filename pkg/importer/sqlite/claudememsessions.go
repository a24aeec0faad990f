package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
)

// source is the source in the ids of events.
const source = "claude-mem"

// The maximum sizes of texts, in bytes; ingest has its own limits.
const (
	maxContent  = 600
	maxDetail   = 4000
	maxPrompt   = 8000
	maxSummary  = 4000
	maxFiles    = 20
	maxConcepts = 8
)

// Sessions visits all sessions, the oldest first, with the rows that belong to each. projectOf returns the project for
// a name of claude-mem.
func (d *ClaudeMem) Sessions(
	ctx context.Context, projectOf func(name string) memory.Project,
) iter.Seq2[importer.Bundle, error] {
	return func(yield func(importer.Bundle, error) bool) {
		sessions, err := d.sessions(ctx)
		if err != nil {
			yield(importer.Bundle{}, err)
			return
		}
		for _, s := range sessions {
			bundle, err := d.bundle(ctx, s, projectOf)
			if err != nil {
				err = fmt.Errorf("read session %s: %w", s.client, err)
			}
			if !yield(bundle, err) || err != nil {
				return
			}
		}
	}
}

// session is a row of sdk_sessions, or a session derived from rows that name it.
type session struct {
	client   string // the client's id
	observer string // the id under which it was observed; may be empty
	project  string
	prompt   string // the first, as old versions kept it
	started  time.Time
	ended    time.Time
	isRow    bool
}

func (d *ClaudeMem) sessions(ctx context.Context) ([]session, error) {
	rows, err := d.file.Rows(ctx, "SELECT *, "+d.projectOfSession()+" AS place FROM sdk_sessions ORDER BY started_at_epoch, id")
	if err != nil {
		return nil, fmt.Errorf("read the sessions: %w", err)
	}
	var all []session
	for _, row := range rows {
		observer := row.First(memoryIDs...)
		all = append(all, session{
			client: cmp.Or(row.First(contentIDs...), source+"-"+observer), observer: observer, project: row["place"],
			prompt: row["user_prompt"], started: instant(row, "started_at"), ended: instant(row, "completed_at"), isRow: true,
		})
	}
	strays, err := d.strays(ctx)
	return append(all, strays...), err
}

// strays returns the sessions whose row is missing.
func (d *ClaudeMem) strays(ctx context.Context) ([]session, error) {
	known := d.column("sdk_sessions", memoryIDs...)
	var all []session
	for _, table := range []string{"observations", "session_summaries"} {
		id := d.column(table, memoryIDs...)
		if id == "NULL" {
			continue
		}
		observers, err := d.texts(ctx, fmt.Sprintf(
			"SELECT DISTINCT %[1]s AS text FROM %[2]s WHERE %[1]s NOT IN (SELECT %[3]s FROM sdk_sessions WHERE %[3]s IS NOT NULL)", id, table, known))
		if err != nil {
			return nil, fmt.Errorf("find the %s of lost sessions: %w", table, err)
		}
		for _, observer := range observers {
			stray := session{client: source + "-" + observer, observer: observer}
			if !slices.Contains(all, stray) {
				all = append(all, stray)
			}
		}
	}
	return all, nil
}

// instant returns a time of a row, given in milliseconds, in seconds, or as text.
func instant(row row, column string) time.Time {
	const firstMilliseconds = 100_000_000_000                  // in seconds that would be the year 5138
	epoch, _ := strconv.ParseInt(row[column+"_epoch"], 10, 64) // otherwise the text is used
	switch {
	case epoch >= firstMilliseconds:
		return time.UnixMilli(epoch).UTC()
	case epoch > 0:
		return time.Unix(epoch, 0).UTC()
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateTime} {
		if at, err := time.Parse(layout, row[column]); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// record is a row that belongs to a session.
type record struct {
	row
	at time.Time
}

// project returns the project of a row: claude-mem merges a worktree's into its repository's.
func (r record) project() string { return r.First("merged_into_project", "project") }

// records returns the rows of a table in which one of the columns has an id, the oldest first.
func (d *ClaudeMem) records(ctx context.Context, table string, columns []string, id string) ([]record, error) {
	column := d.column(table, columns...)
	if id == "" || column == "NULL" {
		return nil, nil
	}
	rows, err := d.file.Rows(ctx, "SELECT * FROM "+table+" WHERE "+column+" = ? ORDER BY created_at_epoch, id", id)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", table, err)
	}
	all := make([]record, len(rows))
	for i, row := range rows {
		all[i] = record{row, instant(row, "created_at")}
	}
	return all, nil
}

// bundle returns the events of a session.
func (d *ClaudeMem) bundle(ctx context.Context, s session, projectOf func(string) memory.Project) (importer.Bundle, error) {
	observations, err := d.records(ctx, "observations", memoryIDs, s.observer)
	if err != nil {
		return importer.Bundle{}, err
	}
	summaries, err := d.records(ctx, "session_summaries", memoryIDs, s.observer)
	if err != nil {
		return importer.Bundle{}, err
	}
	prompts, err := d.records(ctx, "user_prompts", contentIDs, s.client)
	if err != nil {
		return importer.Bundle{}, err
	}
	b := importer.Bundle{Size: int64(len(observations) + len(summaries) + len(prompts))}
	if s.isRow {
		b.Size++
	}
	s.complete(slices.Concat(observations, summaries, prompts))
	if s.started.IsZero() { // no row has a date
		return b, nil
	}
	where := projectOf(s.project)
	b.Events = append(b.Events, s.event(where, summaries))
	if len(prompts) == 0 && s.prompt != "" {
		prompts = []record{{row{"id": "first", "prompt_text": s.prompt}, s.started}}
	}
	for _, p := range prompts {
		if e, ok := s.promptEvent(p, where); ok {
			b.Events = append(b.Events, e)
		}
	}
	for _, o := range observations {
		if e, ok := s.observationEvent(o, projectOf(cmp.Or(o.project(), s.project))); ok {
			b.Events = append(b.Events, e)
		}
	}
	return b, nil
}

// complete fills the session's missing fields from the rows that belong to it, and extends its
// time to include them.
func (s *session) complete(rows []record) {
	s.ended = latest(s.ended, s.started)
	for _, row := range rows {
		if row.at.IsZero() {
			continue
		}
		if s.started.IsZero() || row.at.Before(s.started) {
			s.started = row.at
		}
		s.ended, s.project = latest(s.ended, row.at), cmp.Or(s.project, row.project())
	}
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// event returns the event of the session's own row, with its last summary. Captured events of
// the same session later decide its state.
func (s session) event(where memory.Project, summaries []record) memory.Event {
	row := memory.Session{
		ID: s.client, Dir: where.Root, State: memory.SessionSummarising, StateAt: s.ended, StartedAt: s.started,
		LastEventAt: s.ended, EndedAt: s.ended, EndReason: "imported",
	}
	last := "0"
	for _, one := range summaries {
		if text := summaryText(one, s.started); text != "" {
			row.Summary.Text, last = text, one.row["id"]
		}
	}
	return memory.Event{
		ID: memory.NewImportID(source, s.client, "session", last, strconv.FormatInt(s.ended.UnixMilli(), 10)),
		At: s.ended, Kind: memory.EventImported, Session: s.client, Project: where, Import: &memory.Import{Session: &row},
	}
}

// kinds maps the types of observations to kinds of memories. Types of claude-mem's other
// modes become notes.
var kinds = map[string]memory.Kind{
	"decision": memory.KindDecision, "bugfix": memory.KindFix, "discovery": memory.KindDiscovery,
	"feature": memory.KindTask, "refactor": memory.KindTask, "change": memory.KindTask,
}

// observationEvent returns the event of an observation as a memory of project scope; false if
// redaction leaves nothing of it.
func (s session) observationEvent(o record, where memory.Project) (memory.Event, bool) {
	facts := list(o.row["facts"])
	content := join(": ", clean(o.row["title"]), clean(o.row["subtitle"]))
	if content == "" {
		content = cmp.Or(clean(o.row["narrative"]), clean(o.row["text"]), clean(strings.Join(facts, " ")))
	}
	if content == "" || o.at.IsZero() {
		return memory.Event{}, false
	}
	detail := []string{o.row["narrative"], o.row["text"]}
	for _, fact := range facts {
		detail = append(detail, "- "+fact)
	}
	m := memory.Memory{
		Scope: memory.ScopeProject, Kind: cmp.Or(kinds[o.row["type"]], memory.KindNote), Content: memory.Cut(content, maxContent),
		Detail: memory.Cut(clean(join("\n", detail...)), maxDetail), Tags: tags(o), Files: files(o, where),
		Session: s.client, CreatedAt: o.at, LastSeenAt: o.at,
	}
	id := memory.NewImportID(source, s.client, "observation", o.row["id"])
	return memory.Event{
		ID: id, At: o.at, Kind: memory.EventImported, Session: s.client, Project: where,
		Import: &memory.Import{Memory: &m, Sighting: &memory.Sighting{ID: id, At: o.at}},
	}, true
}

func tags(o record) []string {
	tags := []string{source}
	if kind := o.row["type"]; kind != "" {
		tags = append(tags, memory.Cut(clean(kind), 40))
	}
	concepts := list(o.row["concepts"])
	for _, concept := range concepts[:min(maxConcepts, len(concepts))] {
		if concept = memory.OneLine(clean(concept)); concept != "" {
			tags = append(tags, memory.Cut(concept, 40))
		}
	}
	return tags
}

// files returns the paths that an observation is about, relative to the project's root if they
// are inside.
func files(o record, where memory.Project) []string {
	var files []string
	for _, file := range append(list(o.row["files_modified"]), list(o.row["files_read"])...) {
		file = clean(file)
		if rel, err := filepath.Rel(where.Root, file); where.Root != "" && err == nil && filepath.IsLocal(rel) {
			file = filepath.ToSlash(rel)
		}
		if file != "" && len(files) < maxFiles {
			files = append(files, file)
		}
	}
	return files
}

// list decodes a list of texts: JSON, or one on each line in old rows.
func list(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var values []any
	if json.Unmarshal([]byte(text), &values) != nil {
		return strings.Split(text, "\n")
	}
	var all []string
	for _, value := range values {
		if one, isText := value.(string); isText && strings.TrimSpace(one) != "" {
			all = append(all, one)
		}
	}
	return all
}

// summaryText formats a summary like our own, with the start time of the
// session.
func summaryText(summary record, started time.Time) string {
	var parts []string
	for _, part := range []struct{ word, column string }{
		{"asked ", "request"},
		{"completed: ", "completed"},
		{"learned: ", "learned"},
		{"next: ", "next_steps"},
		{"looked into: ", "investigated"},
		{"notes: ", "notes"},
	} {
		if text := strings.TrimRight(memory.OneLine(clean(summary.row[part.column])), ". "); text != "" {
			parts = append(parts, part.word+text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return memory.Cut(started.UTC().Format("2006-01-02 15:04 UTC")+": "+strings.Join(parts, "; "), maxSummary) + "."
}

func (s session) promptEvent(p record, where memory.Project) (memory.Event, bool) {
	text := memory.Cut(client.Typed(clean(p.row["prompt_text"])), maxPrompt)
	if text == "" || p.at.IsZero() {
		return memory.Event{}, false
	}
	id := memory.NewImportID(source, s.client, "prompt", p.row["id"])
	return memory.Event{
		ID: id, At: p.at, Kind: memory.EventImported, Session: s.client, Project: where,
		Import: &memory.Import{Prompt: &memory.Prompt{ID: id, Text: text, At: p.at}},
	}, true
}

// join joins the texts that are not empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return strings.TrimSpace(text) == "" }), separator)
}

func clean(text string) string {
	text, _ = redact.Text(text)
	return strings.TrimSpace(text)
}
