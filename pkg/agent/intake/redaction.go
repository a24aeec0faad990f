package intake

import (
	"errors"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hooks strip what a fast rule recognises. What they leave in the spool is looked
// through once more here, before anything is stored, journaled, indexed, sent to
// an endpoint for embeddings or logged.

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

// cleanEvent is the event with all that may hold what somebody wrote cleaned. Ids
// and keys stay: they are what other rows are found by.
func cleanEvent(e memory.Event, clean func(string) string) memory.Event {
	for _, field := range []*string{
		&e.Source, &e.Reason, &e.Prompt, &e.Before, &e.After, &e.Command, &e.Output, &e.Error, &e.Text, &e.File, &e.Dir, &e.Project.Name, &e.Project.Root,
	} {
		*field = clean(*field)
	}
	e.Files, e.Tags = cleanAll(e.Files, clean), cleanAll(e.Tags, clean)
	if e.Import != nil {
		imported := *e.Import
		e.Import = &imported
		if m := imported.Memory; m != nil {
			cleaned := cleanMemory(*m, clean)
			imported.Memory = &cleaned
		}
		if s := imported.Session; s != nil {
			session := *s
			session.Summary.Text = clean(session.Summary.Text)
			imported.Session = &session
		}
		if p := imported.Prompt; p != nil {
			prompt := *p
			prompt.Text = clean(prompt.Text)
			imported.Prompt = &prompt
		}
	}
	return e
}

func cleanAll(texts []string, clean func(string) string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = clean(texts[i])
	}
	return texts
}

func cleanMemory(m memory.Memory, clean func(string) string) memory.Memory {
	for _, field := range []*string{&m.Content, &m.Detail, &m.Command, &m.Signature} {
		*field = clean(*field)
	}
	m.Tags, m.Files = cleanAll(m.Tags, clean), cleanAll(m.Files, clean)
	return m
}

func cleanChange(c memory.Change, clean func(string) string) memory.Change {
	c.Reason, c.Content = clean(c.Reason), clean(c.Content)
	c.AddTags = cleanAll(c.AddTags, clean)
	return c
}

// CleanRecord is a record of the journal, cleaned.
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
	return r
}
