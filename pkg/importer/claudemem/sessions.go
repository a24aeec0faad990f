package claudemem

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
)

// source is the source in the ids of events.
const source = "claude-mem"

// Bundle is one session with all that belongs to it.
type Bundle struct {
	Events []memory.Event
	Rows   int // of the database
}

// The most that is kept of a text, in bytes; ingest has limits of its own.
const (
	maxContent  = 600
	maxDetail   = 4000
	maxPrompt   = 8000
	maxSummary  = 4000
	maxFiles    = 20
	maxConcepts = 8
)

// Sessions goes through all sessions, the oldest first. ProjectOf returns the project of
// one of claude-mem's names.
func (d *Database) Sessions(ctx context.Context, projectOf func(name string) memory.Project) iter.Seq2[Bundle, error] {
	return func(yield func(Bundle, error) bool) {
		sessions, err := d.sessions(ctx)
		if err != nil {
			yield(Bundle{}, err)
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

// session is a row of sdk_sessions, or a session made up of rows that name it.
type session struct {
	client   string // the client's id
	observer string // the id under which it was observed; may be empty
	project  string
	prompt   string // the first, as old versions kept it
	started  time.Time
	ended    time.Time
	isRow    bool
}

func (d *Database) sessions(ctx context.Context) ([]session, error) {
	query := fmt.Sprintf("SELECT %s, %s, %s, user_prompt, started_at_epoch, started_at, completed_at_epoch, completed_at"+
		" FROM sdk_sessions ORDER BY started_at_epoch, id",
		d.column("sdk_sessions", contentIDs...), d.column("sdk_sessions", memoryIDs...), d.projectOfSession())
	rows, err := d.db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read the sessions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []session
	for rows.Next() {
		var client, observer, project, prompt, startedText, endedText sql.NullString
		var started, ended sql.NullInt64
		if err := rows.Scan(&client, &observer, &project, &prompt, &started, &startedText, &ended, &endedText); err != nil {
			return nil, fmt.Errorf("read the sessions: %w", err)
		}
		all = append(all, session{
			client: cmp.Or(client.String, source+"-"+observer.String), observer: observer.String, project: project.String,
			prompt: prompt.String, started: instant(started, startedText), ended: instant(ended, endedText), isRow: true,
		})
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the sessions: %w", err)
	}
	strays, err := d.strays(ctx)
	return append(all, strays...), err
}

// strays are the sessions whose row is missing.
func (d *Database) strays(ctx context.Context) ([]session, error) {
	known := d.column("sdk_sessions", memoryIDs...)
	var all []session
	for _, table := range []string{"observations", "session_summaries"} {
		id := d.column(table, memoryIDs...)
		if id == "NULL" {
			continue
		}
		observers, err := d.texts(ctx, fmt.Sprintf(
			"SELECT DISTINCT %[1]s FROM %[2]s WHERE %[1]s NOT IN (SELECT %[3]s FROM sdk_sessions WHERE %[3]s IS NOT NULL)", id, table, known))
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

// instant reads a time: in milliseconds, or in seconds, or else as text.
func instant(epoch sql.NullInt64, text sql.NullString) time.Time {
	const firstMilliseconds = 100_000_000_000 // in seconds that would be the year 5138
	switch {
	case epoch.Int64 >= firstMilliseconds:
		return time.UnixMilli(epoch.Int64).UTC()
	case epoch.Int64 > 0:
		return time.Unix(epoch.Int64, 0).UTC()
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateTime} {
		if at, err := time.Parse(layout, text.String); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// bundle makes the events of a session.
func (d *Database) bundle(ctx context.Context, s session, projectOf func(string) memory.Project) (Bundle, error) {
	observations, err := d.observations(ctx, s)
	if err != nil {
		return Bundle{}, err
	}
	summaries, err := d.summaries(ctx, s)
	if err != nil {
		return Bundle{}, err
	}
	prompts, err := d.prompts(ctx, s)
	if err != nil {
		return Bundle{}, err
	}
	b := Bundle{Rows: len(observations) + len(summaries) + len(prompts)}
	if s.isRow {
		b.Rows++
	}
	s.complete(observations, summaries, prompts)
	if s.started.IsZero() { // nothing of it has a date
		return b, nil
	}
	where := projectOf(s.project)
	b.Events = append(b.Events, s.event(where, summaries))
	for _, p := range s.allPrompts(prompts) {
		if e, ok := p.event(s, where); ok {
			b.Events = append(b.Events, e)
		}
	}
	for _, o := range observations {
		if e, ok := o.event(s, projectOf(cmp.Or(o.project, s.project))); ok {
			b.Events = append(b.Events, e)
		}
	}
	return b, nil
}

// complete fills the session's missing fields from its observations, prompts and
// summaries, and extends its time to include them.
func (s *session) complete(observations []observation, summaries []summary, prompts []prompt) {
	see := func(at time.Time, project string) {
		if at.IsZero() {
			return
		}
		if s.started.IsZero() || at.Before(s.started) {
			s.started = at
		}
		if at.After(s.ended) {
			s.ended = at
		}
		s.project = cmp.Or(s.project, project)
	}
	see(s.started, "")
	for _, o := range observations {
		see(o.at, o.project)
	}
	for _, one := range summaries {
		see(one.at, one.project)
	}
	for _, p := range prompts {
		see(p.at, "")
	}
}

// event writes the session's own row, with its last summary. Captured events of the same
// session later decide its state.
func (s session) event(where memory.Project, summaries []summary) memory.Event {
	row := memory.Session{
		ID: s.client, Dir: where.Root, State: memory.SessionSummarising, StateAt: s.ended, StartedAt: s.started,
		LastEventAt: s.ended, EndedAt: s.ended, EndReason: "imported",
	}
	last := int64(0)
	for _, one := range summaries {
		if text := one.text(s.started); text != "" {
			row.Summary.Text, last = text, one.id
		}
	}
	return memory.Event{
		ID: memory.NewImportID(source, s.client, "session", strconv.FormatInt(last, 10), strconv.FormatInt(s.ended.UnixMilli(), 10)),
		At: s.ended, Kind: memory.EventImported, Session: s.client, Project: where, Import: &memory.Import{Session: &row},
	}
}

type observation struct {
	id                                                        int64
	project, kind, title, subtitle, narrative, text           string
	factsJSON, conceptsJSON, filesReadJSON, filesModifiedJSON string
	at                                                        time.Time
}

func (d *Database) observations(ctx context.Context, s session) ([]observation, error) {
	const table = "observations"
	id := d.column(table, memoryIDs...)
	if s.observer == "" || id == "NULL" {
		return nil, nil
	}
	query := fmt.Sprintf("SELECT id, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, created_at_epoch, created_at"+
		" FROM observations WHERE %s = ? ORDER BY created_at_epoch, id",
		d.projectOf(table), d.column(table, "type"), d.column(table, "title"), d.column(table, "subtitle"), d.column(table, "narrative"),
		d.column(table, "text"), d.column(table, "facts"), d.column(table, "concepts"), d.column(table, "files_read"),
		d.column(table, "files_modified"), id)
	rows, err := d.db.QueryContext(ctx, query, s.observer)
	if err != nil {
		return nil, fmt.Errorf("read the observations: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []observation
	for rows.Next() {
		var o observation
		var fields [10]sql.NullString
		var epoch sql.NullInt64
		var created sql.NullString
		if err := rows.Scan(&o.id, &fields[0], &fields[1], &fields[2], &fields[3], &fields[4], &fields[5], &fields[6],
			&fields[7], &fields[8], &fields[9], &epoch, &created); err != nil {
			return nil, fmt.Errorf("read the observations: %w", err)
		}
		for i, into := range []*string{
			&o.project, &o.kind, &o.title, &o.subtitle, &o.narrative, &o.text,
			&o.factsJSON, &o.conceptsJSON, &o.filesReadJSON, &o.filesModifiedJSON,
		} {
			*into = fields[i].String
		}
		o.at = instant(epoch, created)
		all = append(all, o)
	}
	return all, rows.Err()
}

// kinds maps the types of observations to kinds of memories. Types of claude-mem's other
// modes become notes.
var kinds = map[string]memory.Kind{
	"decision": memory.KindDecision, "bugfix": memory.KindFix, "discovery": memory.KindDiscovery,
	"feature": memory.KindTask, "refactor": memory.KindTask, "change": memory.KindTask,
}

// event makes a memory of project scope; false means that nothing is left after
// redaction.
func (o observation) event(s session, where memory.Project) (memory.Event, bool) {
	facts := list(o.factsJSON)
	content := join(": ", clean(o.title), clean(o.subtitle))
	if content == "" {
		content = cmp.Or(clean(o.narrative), clean(o.text), clean(strings.Join(facts, " ")))
	}
	if content == "" || o.at.IsZero() {
		return memory.Event{}, false
	}
	detail := []string{o.narrative, o.text}
	for _, fact := range facts {
		detail = append(detail, "- "+fact)
	}
	m := memory.Memory{
		Scope: memory.ScopeProject, Kind: cmp.Or(kinds[o.kind], memory.KindNote), Content: memory.Cut(content, maxContent),
		Detail: memory.Cut(clean(join("\n", detail...)), maxDetail), Tags: o.tags(), Files: o.files(where),
		Session: s.client, CreatedAt: o.at, LastSeenAt: o.at,
	}
	id := memory.NewImportID(source, s.client, "observation", strconv.FormatInt(o.id, 10))
	return memory.Event{
		ID: id, At: o.at, Kind: memory.EventImported, Session: s.client, Project: where,
		Import: &memory.Import{Memory: &m, Sighting: &memory.Sighting{ID: id, At: o.at}},
	}, true
}

func (o observation) tags() []string {
	tags := []string{source}
	if o.kind != "" {
		tags = append(tags, memory.Cut(clean(o.kind), 40))
	}
	concepts := list(o.conceptsJSON)
	for _, concept := range concepts[:min(maxConcepts, len(concepts))] {
		if concept = memory.OneLine(clean(concept)); concept != "" {
			tags = append(tags, memory.Cut(concept, 40))
		}
	}
	return tags
}

// files are the paths it is about, relative to the project's root where they lie
// inside.
func (o observation) files(where memory.Project) []string {
	var files []string
	for _, file := range append(list(o.filesModifiedJSON), list(o.filesReadJSON)...) {
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

// list reads a list of texts, as JSON or, in old rows, one a line.
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

type summary struct {
	id                                                               int64
	project, request, investigated, learned, completed, next, remark string
	at                                                               time.Time
}

func (d *Database) summaries(ctx context.Context, s session) ([]summary, error) {
	const table = "session_summaries"
	id := d.column(table, memoryIDs...)
	if s.observer == "" || id == "NULL" {
		return nil, nil
	}
	query := fmt.Sprintf("SELECT id, %s, %s, %s, %s, %s, %s, %s, created_at_epoch, created_at"+
		" FROM session_summaries WHERE %s = ? ORDER BY created_at_epoch, id",
		d.projectOf(table), d.column(table, "request"), d.column(table, "investigated"), d.column(table, "learned"),
		d.column(table, "completed"), d.column(table, "next_steps"), d.column(table, "notes"), id)
	rows, err := d.db.QueryContext(ctx, query, s.observer)
	if err != nil {
		return nil, fmt.Errorf("read the summaries: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []summary
	for rows.Next() {
		var one summary
		var fields [7]sql.NullString
		var epoch sql.NullInt64
		var created sql.NullString
		if err := rows.Scan(&one.id, &fields[0], &fields[1], &fields[2], &fields[3], &fields[4], &fields[5], &fields[6],
			&epoch, &created); err != nil {
			return nil, fmt.Errorf("read the summaries: %w", err)
		}
		for i, into := range []*string{
			&one.project, &one.request, &one.investigated, &one.learned, &one.completed, &one.next, &one.remark,
		} {
			*into = clean(fields[i].String)
		}
		one.at = instant(epoch, created)
		all = append(all, one)
	}
	return all, rows.Err()
}

// text is the summary as it is told, in the form of our own: with the time at
// which the session began.
func (s summary) text(started time.Time) string {
	var parts []string
	for _, part := range []struct{ word, text string }{
		{"asked ", s.request},
		{"completed: ", s.completed},
		{"learned: ", s.learned},
		{"next: ", s.next},
		{"looked into: ", s.investigated},
		{"notes: ", s.remark},
	} {
		if text := strings.TrimRight(memory.OneLine(part.text), ". "); text != "" {
			parts = append(parts, part.word+text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return memory.Cut(started.UTC().Format("2006-01-02 15:04 UTC")+": "+strings.Join(parts, "; "), maxSummary) + "."
}

type prompt struct {
	id   string
	text string
	at   time.Time
}

func (d *Database) prompts(ctx context.Context, s session) ([]prompt, error) {
	id := d.column("user_prompts", contentIDs...)
	if id == "NULL" {
		return nil, nil
	}
	rows, err := d.db.QueryContext(ctx, "SELECT id, prompt_text, created_at_epoch, created_at FROM user_prompts WHERE "+id+
		" = ? ORDER BY created_at_epoch, id", s.client)
	if err != nil {
		return nil, fmt.Errorf("read the prompts: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []prompt
	for rows.Next() {
		var id int64
		var text, created sql.NullString
		var epoch sql.NullInt64
		if err := rows.Scan(&id, &text, &epoch, &created); err != nil {
			return nil, fmt.Errorf("read the prompts: %w", err)
		}
		all = append(all, prompt{strconv.FormatInt(id, 10), text.String, instant(epoch, created)})
	}
	return all, rows.Err()
}

// allPrompts are the prompts, or the one that the session's row has.
func (s session) allPrompts(prompts []prompt) []prompt {
	if len(prompts) == 0 && s.prompt != "" {
		return []prompt{{"first", s.prompt, s.started}}
	}
	return prompts
}

func (p prompt) event(s session, where memory.Project) (memory.Event, bool) {
	text := memory.Cut(clean(p.text), maxPrompt)
	if text == "" || p.at.IsZero() || strings.HasPrefix(text, "<task-notification>") {
		return memory.Event{}, false
	}
	id := memory.NewImportID(source, s.client, "prompt", p.id)
	return memory.Event{
		ID: id, At: p.at, Kind: memory.EventImported, Session: s.client, Project: where,
		Import: &memory.Import{Prompt: &memory.Prompt{ID: id, Text: text, At: p.at}},
	}, true
}

// join joins the texts that say something.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return strings.TrimSpace(text) == "" }), separator)
}

func clean(text string) string {
	text, _ = redact.Text(text)
	return strings.TrimSpace(text)
}
