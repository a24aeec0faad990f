package ingest

import (
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// distilled keeps a model's answer about a session: its digest as a session event, its
// facts as memories of the project, derived from those that hold the words they rest on.
// Nothing happened in the session when it was written, so its times stay.
func (b *builder) distilled(e memory.Event) {
	text, err := memory.DistilledText(*e.Distilled)
	if err != nil { // texts and dates alone can always be written
		return
	}
	b.batch.SessionEvents = append(b.batch.SessionEvents, memory.SessionEvent{
		ID: e.ID, Session: e.Session, Kind: e.Kind, Text: text, At: e.At,
	})
	for _, f := range e.Distilled.Facts {
		b.distilledFact(e, f)
	}
}

func (b *builder) distilledFact(e memory.Event, f memory.DistilledFact) {
	if f.Relation == memory.RelationConfirms { // it says nothing new; see Confirmed
		return
	}
	at := e
	at.At = f.At
	all := tags(memory.TagModel)
	if f.ByUser {
		all = append(all, memory.TagUsersWords)
	}
	if f.Called != f.Kind && f.Called != "" {
		all = append(all, string(f.Called))
	}
	id := b.drawn(at, memory.Memory{
		Kind: f.Kind, Content: f.Text, Detail: passages(f.Quotes), Tags: all, Cues: f.Cues, Everywhere: f.Everywhere,
		Files: pathsIn(f.Text + " " + strings.Join(f.Cues, " ")), Source: memory.SourceAssistant,
		Scope: memory.ScopeProject, Type: memory.TypeProcedural, Importance: memory.FactImportance(f.Weight),
	})
	from := slices.Clone(f.From)
	if f.About != "" {
		from = append(from, f.About)
	}
	for _, source := range from {
		if source != id {
			b.batch.Derived = append(b.batch.Derived, memory.Derivation{Memory: id, From: source, At: f.At})
		}
	}
}

// Confirmed are the sightings of standing memories that a session confirms, as a model
// says. They are stored only where the memories are: a rebuilt store may lack some.
func Confirmed(e memory.Event) []memory.Sighting {
	var all []memory.Sighting
	for _, f := range e.Distilled.Facts {
		if f.Relation == memory.RelationConfirms {
			all = append(all, memory.Sighting{ID: ofMemory(e.ID, f.About), Memory: f.About, Session: e.Session, At: f.At})
		}
	}
	return all
}

// passages are the words that a fact rests on, one passage a line.
func passages(quotes []string) string {
	lines := make([]string, len(quotes))
	for i, quote := range quotes {
		lines[i] = "\"" + quote + "\""
	}
	return strings.Join(lines, "\n")
}

// written is the digest of the session that a model wrote, unless the session has gone
// on since.
func written(a memory.SessionRecord) (found memory.Digest, is bool) {
	var at time.Time
	for _, e := range a.SessionEvents {
		if e.Kind != memory.EventDistilled || e.At.Before(at) {
			continue
		}
		if d, err := memory.DistilledOf(e.Text); err == nil && d.Whole && !d.Digest.IsZero() {
			found, at, is = d.Digest, e.At, true
		}
	}
	for _, p := range a.Prompts {
		if is && p.At.After(at) {
			return memory.Digest{}, false
		}
	}
	return found, is
}
