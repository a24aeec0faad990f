package surreal

import (
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// Conversion between values of the domain and rows, one table each: *Row writes it,
// *Record reads it; a codec does both for memories.

var (
	memoryFields = memoryCodec.fields()
	rowFields    = rowCodec.fields()
	// bareFields are the columns of a row without its texts.
	bareFields = rowCodec.fields("content", "detail", "tags", "cues", "files", "command", "signature", "session", "token_count", "token_encoding", "derived_from", "fingerprints")
	// budgetFields are those with the tokens that count against a budget.
	budgetFields = rowCodec.fields("content", "detail", "tags", "cues", "files", "command", "signature", "session", "derived_from", "fingerprints")
)

const (
	bestFirst = ` ORDER BY importance DESC, last_seen_at DESC, id LIMIT $limit`

	sessionFields = `record::id(id) AS id, project, dir, client, source, source_at, state, state_at, started_at, last_event_at,
	ended_at, end_reason, summary, summary_token_count, summary_token_encoding`
	// digestField is read where a session is shown or sent on: a start, which reads many
	// sessions, leaves it out.
	digestField = `, digest`
	// promptCount is counted when it is read: a stored count could drift. It
	// goes with a session read as $id; by $parent.id the index would not serve it.
	promptCount = `, count(SELECT VALUE id FROM prompt WHERE session = $id) AS prompt_count`
)

func memoryRow(m memory.Memory) map[string]any { return memoryCodec.row("memory", m) }

// fullRow is a row with its standing.
func fullRow(r memory.Row) map[string]any { return rowCodec.row("memory", r) }

func sessionRow(s memory.Session) map[string]any {
	row := map[string]any{
		"id": recordID("session", s.ID), "project": s.Project, "dir": s.Dir, "client": s.Client, "source": s.Source, "source_at": at(s.SourceAt), "state": string(s.State),
		"state_at": at(s.StateAt), "started_at": at(s.StartedAt), "last_event_at": at(s.LastEventAt),
		"end_reason": s.EndReason, "summary": s.Summary.Text,
		"summary_token_count": s.Summary.TokenCount, "summary_token_encoding": s.Summary.TokenEncoding,
	}
	if !s.EndedAt.IsZero() {
		row["ended_at"] = at(s.EndedAt)
	}
	if digest := digestRow(s.Summary.Digest); len(digest) > 0 {
		row["digest"] = digest
	}
	return row
}

// digestRow is a digest without its empty fields.
func digestRow(d memory.Digest) map[string]any {
	row := map[string]any{}
	for name, text := range map[string]string{
		"request": d.Request, "investigated": d.Investigated, "learned": d.Learned, "completed": d.Completed,
		"next_steps": d.NextSteps, "source": string(d.Source),
	} {
		if text != "" {
			row[name] = text
		}
	}
	for name, files := range map[string][]string{"files_read": d.FilesRead, "files_modified": d.FilesModified} {
		if len(files) > 0 {
			row[name] = files
		}
	}
	return row
}

type sessionRecord struct {
	ID                   string                 `json:"id"`
	Project              string                 `json:"project"`
	Dir                  string                 `json:"dir"`
	Client               string                 `json:"client"`
	Source               string                 `json:"source"`
	SourceAt             models.CustomDateTime  `json:"source_at"`
	State                string                 `json:"state"`
	StateAt              models.CustomDateTime  `json:"state_at"`
	StartedAt            models.CustomDateTime  `json:"started_at"`
	LastEventAt          models.CustomDateTime  `json:"last_event_at"`
	EndedAt              *models.CustomDateTime `json:"ended_at"`
	EndReason            string                 `json:"end_reason"`
	PromptCount          int                    `json:"prompt_count"`
	Summary              string                 `json:"summary"`
	SummaryTokenCount    int                    `json:"summary_token_count"`
	SummaryTokenEncoding string                 `json:"summary_token_encoding"`
	Digest               *memory.Digest         `json:"digest"`
}

func (r sessionRecord) session() memory.Session {
	s := memory.Session{
		ID: r.ID, Project: r.Project, Dir: r.Dir, Client: r.Client, Source: r.Source, SourceAt: instant(r.SourceAt), State: memory.SessionState(r.State),
		StateAt: instant(r.StateAt), StartedAt: instant(r.StartedAt), LastEventAt: instant(r.LastEventAt),
		EndReason: r.EndReason, PromptCount: r.PromptCount,
		Summary: memory.Summary{Text: r.Summary, TokenCount: r.SummaryTokenCount, TokenEncoding: r.SummaryTokenEncoding},
	}
	if r.EndedAt != nil {
		s.EndedAt = instant(*r.EndedAt)
	}
	if r.Digest != nil {
		s.Summary.Digest = *r.Digest
	}
	return s
}

func decodeSessions(result wire.Results, i int) ([]memory.Session, error) {
	return decodeEach(result, i, sessionRecord.session)
}

// decodeEach reads the rows of a statement's result, each as a record that is made into
// its domain type; nil if there are none.
func decodeEach[R, T any](result wire.Results, i int, made func(R) T) ([]T, error) {
	var records []R
	if err := result.Decode(i, &records); err != nil {
		return nil, err
	}
	var all []T
	for _, r := range records {
		all = append(all, made(r))
	}
	return all, nil
}

func promptRow(p memory.Prompt) map[string]any {
	return map[string]any{
		"id": recordID("prompt", p.ID), "session": recordID("session", p.Session),
		"project": p.Project, "text": p.Text, "at": at(p.At),
	}
}

type promptRecord struct {
	ID      string                `json:"id"`
	Session string                `json:"session"`
	Project string                `json:"project"`
	Text    string                `json:"text"`
	At      models.CustomDateTime `json:"at"`
}

func (r promptRecord) prompt() memory.Prompt {
	return memory.Prompt{ID: r.ID, Session: r.Session, Project: r.Project, Text: r.Text, At: instant(r.At)}
}

func projectRow(p memory.Project) map[string]any {
	return map[string]any{"id": recordID("project", p.Key), "name": p.Name, "root": p.Root, "seen_at": at(p.SeenAt)}
}

type sightingRecord struct {
	ID      string                `json:"id"`
	Memory  string                `json:"memory"`
	Session string                `json:"session"`
	At      models.CustomDateTime `json:"at"`
}

func (r sightingRecord) sighting() memory.Sighting {
	return memory.Sighting{ID: r.ID, Memory: r.Memory, Session: r.Session, At: instant(r.At)}
}

func sightingRow(s memory.Sighting) map[string]any {
	return map[string]any{
		"id": recordID("seen_in", s.ID), "in": recordID("memory", s.Memory),
		"out": recordID("session", s.Session), "at": at(s.At),
	}
}

func summaryRow(s memory.SessionSummary) map[string]any {
	return map[string]any{
		"id": recordID("session", s.Session), "text": s.Summary.Text,
		"tokens": s.Summary.TokenCount, "encoding": s.Summary.TokenEncoding, "digest": digestRow(s.Summary.Digest),
	}
}

func sessionEventRow(m memory.SessionEvent) map[string]any {
	return map[string]any{
		"id": recordID("session_event", m.ID), "session": recordID("session", m.Session),
		"kind": string(m.Kind), "text": m.Text, "at": at(m.At),
	}
}

type sessionEventRecord struct {
	ID      string                `json:"id"`
	Session string                `json:"session"`
	Kind    string                `json:"kind"`
	Text    string                `json:"text"`
	At      models.CustomDateTime `json:"at"`
}

func (r sessionEventRecord) sessionEvent() memory.SessionEvent {
	return memory.SessionEvent{ID: r.ID, Session: r.Session, Kind: memory.EventKind(r.Kind), Text: r.Text, At: instant(r.At)}
}

func injectionRow(i memory.Injection) map[string]any {
	return map[string]any{
		"id": recordID("injected_in", i.ID), "in": recordID("memory", i.Memory),
		"out": recordID("session", i.Session), "subagent": i.Subagent, "hook": i.Hook, "at": at(i.At),
	}
}

func fileRow(f memory.File) map[string]any {
	return map[string]any{
		"id": recordID("file", memory.FileID(f.Project, f.Path)), "project": f.Project, "path": f.Path, "seen_at": at(f.SeenAt),
	}
}

// instant undoes at: the epoch stands for the zero time.
func instant(d models.CustomDateTime) time.Time {
	if d.IsZero() || d.Equal(time.Unix(0, 0)) {
		return time.Time{}
	}
	return d.UTC()
}
