package intake

import (
	"errors"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
)

// Hooks redact by fast rules. Their events are scanned once more here, before anything is
// stored, journaled, indexed, logged or sent to an endpoint for embeddings.

// clean is a text without secrets.
func (in *Intake) clean(text string) string {
	if text == "" || in.Clean == nil {
		return text
	}
	return in.Clean(text)
}

func (in *Intake) cleanError(err error) error {
	if text := err.Error(); in.clean(text) != text {
		return errors.New(in.clean(text))
	}
	return err
}

func (in *Intake) cleanEvents(events []memory.Event) []memory.Event {
	cleaned := make([]memory.Event, 0, len(events))
	for _, e := range events {
		cleaned = append(cleaned, cleanEvent(e, in.clean))
	}
	return cleaned
}

// cleanEvent is the event with all its texts cleaned, whoever made it: a hook, a model
// through MCP, a person in a terminal, an import. Names of tools, files, projects and
// sessions are texts, too.
func cleanEvent(e memory.Event, clean func(string) string) memory.Event {
	cleanFields(clean, &e.Source, &e.Reason, &e.Prompt, &e.LastWords, &e.Before, &e.After, &e.Command, &e.Purpose, &e.Output, &e.Error, &e.Text,
		&e.Tool, &e.File, &e.Dir, &e.Client, &e.Project.Name, &e.Project.Root)
	cleanKeys(&e.ID, &e.Session, &e.Project.Key)
	e.RememberedKind = memory.Kind(clean(string(e.RememberedKind)))
	e.Files, e.Tags, e.Fingerprints = cleanAll(e.Files, clean), cleanAll(e.Tags, clean), cleanPaths(e.Fingerprints, clean)
	if e.Kind != memory.EventImported {
		e.Import = nil // nobody reads it
	}
	if e.Import != nil {
		imported := cleanImport(*e.Import, clean)
		e.Import = &imported
	}
	if e.Kind != memory.EventDistilled {
		e.Distilled = nil // likewise
	}
	if e.Distilled != nil {
		distilled := cleanDistilled(*e.Distilled, clean)
		e.Distilled = &distilled
	}
	return e
}

// cleanDistilled is a model's answer, cleaned: it may have made a secret whole again.
func cleanDistilled(d memory.Distilled, clean func(string) string) memory.Distilled {
	cleanFields(clean, &d.Model, &d.Digest.Request, &d.Digest.Investigated, &d.Digest.Learned, &d.Digest.Completed, &d.Digest.NextSteps)
	d.Digest.FilesRead, d.Digest.FilesModified = cleanAll(d.Digest.FilesRead, clean), cleanAll(d.Digest.FilesModified, clean)
	d.Facts = slices.Clone(d.Facts)
	for i := range d.Facts {
		f := &d.Facts[i]
		f.Text, f.Quotes, f.Cues = clean(f.Text), cleanAll(f.Quotes, clean), cleanAll(f.Cues, clean)
	}
	return d
}

func cleanImport(imported memory.Import, clean func(string) string) memory.Import {
	if imported.Memory != nil {
		m := cleanMemory(*imported.Memory, clean)
		imported.Memory = &m
	}
	if imported.Sighting != nil {
		s := *imported.Sighting
		cleanKeys(&s.ID, &s.Memory, &s.Session)
		imported.Sighting = &s
	}
	if imported.Session != nil {
		s := *imported.Session
		cleanKeys(&s.ID, &s.Project)
		cleanFields(clean, &s.Dir, &s.Client, &s.Source, &s.EndReason, &s.Summary.Text, &s.Summary.TokenEncoding)
		s.Summary.Digest = s.Summary.Digest.Each(clean)
		if !s.Summary.Digest.Source.Known() {
			s.Summary.Digest.Source = ""
		}
		imported.Session = &s
	}
	if imported.Prompt != nil {
		p := *imported.Prompt
		cleanKeys(&p.ID, &p.Session, &p.Project)
		p.Text = clean(p.Text)
		imported.Prompt = &p
	}
	return imported
}

func cleanFields(clean func(string) string, fields ...*string) {
	for _, field := range fields {
		*field = clean(*field)
	}
}

// cleanKeys cleans the keys by which other rows are found, with the fast rules only:
// hooks ask for projects and sessions by keys that were redacted by the same rules.
func cleanKeys(keys ...*string) { cleanFields(redact.Clean, keys...) }

func cleanAll(texts []string, clean func(string) string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = clean(texts[i])
	}
	return texts
}

// cleanPaths cleans the paths of fingerprints. A fingerprint is a hash; one that reads
// like a secret is none, and is dropped.
func cleanPaths(prints map[string]string, clean func(string) string) map[string]string {
	if len(prints) == 0 {
		return nil
	}
	cleaned := make(map[string]string, len(prints))
	for path, fingerprint := range prints {
		if clean(fingerprint) == fingerprint {
			cleaned[clean(path)] = fingerprint
		}
	}
	return cleaned
}

func cleanMemory(m memory.Memory, clean func(string) string) memory.Memory {
	cleanFields(clean, &m.Author, &m.Content, &m.Detail, &m.Command, &m.Signature, &m.TokenEncoding)
	cleanKeys(&m.Project, &m.Session)
	m.Tags, m.Cues, m.Files = cleanAll(m.Tags, clean), cleanAll(m.Cues, clean), cleanAll(m.Files, clean)
	m.Fingerprints, m.FileChange = cleanPaths(m.Fingerprints, clean), "" // nobody reads it
	return m
}

func cleanChange(c memory.Change, clean func(string) string) memory.Change {
	c.Reason, c.Content = clean(c.Reason), clean(c.Content)
	c.AddTags, c.RemoveTags = cleanAll(c.AddTags, clean), cleanAll(c.RemoveTags, clean)
	return c
}

// CleanRecord returns a record of the journal with its texts cleaned.
func CleanRecord(r journal.Record, clean func(string) string) journal.Record {
	if r.Event != nil {
		event := cleanEvent(*r.Event, clean)
		r.Event = &event
	}
	if r.Amended != nil {
		r.Amended = &journal.Amended{Change: cleanChange(r.Amended.Change, clean), Before: cleanMemory(r.Amended.Before, clean)}
	}
	if r.Renamed != nil {
		r.Renamed = &journal.Renamed{Project: r.Renamed.Project, Name: clean(r.Renamed.Name)}
	}
	if r.Ran != nil {
		ran := cleanRan(*r.Ran, clean)
		r.Ran = &ran
	}
	if r.Wrote != nil {
		wrote := cleanWrote(*r.Wrote, clean)
		r.Wrote = &wrote
	}
	return r
}

func cleanRan(ran journal.Ran, clean func(string) string) journal.Ran {
	ran.Run.Error, ran.Run.Notes = clean(ran.Run.Error), cleanAll(ran.Run.Notes, clean)
	ran.Actions = slices.Clone(ran.Actions)
	for i := range ran.Actions {
		a := &ran.Actions[i]
		a.Reason = clean(a.Reason)
		a.Before, a.After = cleanState(a.Before, clean), cleanState(a.After, clean)
		if a.Row != nil {
			row := *a.Row
			row.Memory = cleanMemory(row.Memory, clean)
			a.Row = &row
		}
	}
	return ran
}

func cleanState(s memory.State, clean func(string) string) memory.State {
	cleanFields(clean, &s.Content, &s.Detail)
	s.Tags, s.Cues = cleanAll(s.Tags, clean), cleanAll(s.Cues, clean)
	return s
}

// cleanWrote is a record of written rows, with their texts cleaned.
func cleanWrote(w journal.Wrote, clean func(string) string) journal.Wrote {
	if w.Batch != nil {
		b := *w.Batch
		b.Summaries, b.Memories, b.SessionEvents = slices.Clone(b.Summaries), slices.Clone(b.Memories), slices.Clone(b.SessionEvents)
		for i := range b.Summaries {
			s := &b.Summaries[i].Summary
			s.Text, s.Digest = clean(s.Text), s.Digest.Each(clean)
		}
		for i := range b.Memories {
			b.Memories[i] = cleanMemory(b.Memories[i], clean)
		}
		for i := range b.SessionEvents {
			b.SessionEvents[i].Text = clean(b.SessionEvents[i].Text)
		}
		w.Batch = &b
	}
	w.Queued = slices.Clone(w.Queued)
	for i := range w.Queued {
		w.Queued[i] = cleanDistillation(w.Queued[i], clean)
	}
	if w.Distillation != nil {
		d := cleanDistillation(*w.Distillation, clean)
		w.Distillation = &d
	}
	return w
}

func cleanDistillation(d memory.Distillation, clean func(string) string) memory.Distillation {
	d.Reason, d.Notes = clean(d.Reason), cleanAll(d.Notes, clean)
	return d
}
