package ingest

import (
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// rowsOf returns the rows of an event other than memories: its project, session and words.
func rowsOf(e memory.Event) memory.Batch {
	if e.Kind == memory.EventImported {
		return importedRows(e)
	}
	rows := placed(e)
	rows.Sessions = []memory.Session{sessionOf(e)}
	switch {
	case e.Kind == memory.EventDistilled: // the session's times stay, because nothing happened in it
		rows = memory.Batch{}
	case e.Kind == memory.EventPrompt && strings.TrimSpace(e.Prompt) != "":
		rows.Prompts = []memory.Prompt{{
			ID: e.ID, Session: e.Session, Project: e.Project.Key,
			Text: memory.Cut(e.Prompt, maxPrompt), At: e.At,
		}}
	}
	if keep := kinds[e.Kind].keep; keep != nil {
		if kept, is := keep(e); is {
			kept.ID, kept.Session, kept.Kind, kept.At = e.ID, e.Session, e.Kind, e.At
			rows.SessionEvents = []memory.SessionEvent{kept}
		}
	}
	return rows
}

// placed returns the project of an event, as active on the event's day.
func placed(e memory.Event) (rows memory.Batch) {
	if e.Project.Key != "" {
		e.Project.SeenAt = e.At
		rows.Projects = []memory.Project{e.Project}
		rows.Days = []memory.ActiveDay{{Project: e.Project.Key, Day: e.At.UTC().Format(time.DateOnly)}}
	}
	return rows
}

func sessionOf(e memory.Event) memory.Session {
	s := memory.Session{ID: e.Session, Project: e.Project.Key, Client: e.Client, StartedAt: e.At, LastEventAt: e.At, Dir: e.Dir}
	if e.Kind == memory.EventSessionStarted {
		s.Source, s.SourceAt = e.Source, e.At
	}
	if s.State = kinds[e.Kind].state; s.State != "" {
		s.StateAt = e.At
	}
	if s.State.IsOver() {
		s.EndedAt, s.EndReason = e.At, e.Reason
	}
	return s
}

// importedRows returns the rows of an import. A session's summary becomes a session event, which later summaries take into account.
func importedRows(e memory.Event) memory.Batch {
	rows, row := placed(e), *e.Import
	if s := row.Session; s != nil {
		session := *s
		session.Project, session.PromptCount = e.Project.Key, 0
		session.Summary = memory.Summary{Digest: s.Summary.Digest} // tokens are counted when the session is summarised
		if s.State == memory.SessionCompleted {
			session.State = memory.SessionSummarising // stays so until the session is summarised here
		}
		rows.Sessions = []memory.Session{session}
		if text := memory.CutOnce(s.Summary.Text, maxPrompt); text != "" {
			rows.SessionEvents = []memory.SessionEvent{{
				ID: e.ID, Session: s.ID, Kind: memory.EventSummarised,
				Text: text, At: s.LastEventAt,
			}}
		}
	}
	if p := row.Prompt; p != nil {
		rows.Prompts = []memory.Prompt{{
			ID: p.ID, Session: e.Session, Project: e.Project.Key,
			Text: memory.CutOnce(p.Text, maxPrompt), At: p.At,
		}}
	}
	if kept := row.Event; kept != nil {
		own := *kept
		own.Session, own.Files = e.Session, memory.Union(own.Files)
		own.Text, own.Detail = memory.CutOnce(own.Text, maxPrompt), memory.CutOnce(own.Detail, maxImported)
		rows.SessionEvents = append(rows.SessionEvents, own)
	}
	if s := row.Sighting; s != nil && row.Memory == nil {
		rows.Sightings = []memory.Sighting{{ID: s.ID, Memory: s.Memory, Session: e.Session, At: s.At}}
	}
	return rows
}
