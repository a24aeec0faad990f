package intake

import (
	"errors"
	"reflect"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hooks redact with fast rules. Here their events are scanned again with all rules, before anything is stored,
// journaled, indexed or logged.

// batchOf returns the rows made of events, without purged text.
func (in *Intake) batchOf(events []memory.Event) memory.Batch {
	events = in.Aliases.placed(events)
	batch := ingest.Batch(events)
	if in.OnlyAsked() {
		batch = ingest.OnlyAsked(batch, events)
	}
	in.Purged().RemoveFrom(&batch)
	return batch
}

func (in *Intake) cleanError(err error) error {
	if text := in.Clean(in.Purged().Clean(err.Error())); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// cleaned returns a row, a change or an event without purged words and secrets, whoever made it: a hook, a model through MCP
// (which may have reassembled a secret), a person in a terminal, an import. Secrets go from names of tools, files, projects and
// sessions, too; hooks ask for projects and sessions by keys that were redacted by the same rules.
func cleaned[T any](in *Intake, value T) T {
	return memory.Cleaned(memory.CleanedTexts(value, in.Purged().Clean), in.Clean)
}

// cleanEvent returns an event cleaned, without what nobody reads.
func (in *Intake) cleanEvent(e memory.Event) memory.Event {
	if e.Kind != memory.EventImported {
		e.Import = nil
	}
	if e.Kind != memory.EventDistilled {
		e.Distilled = nil
	}
	return cleaned(in, e)
}

const (
	// clockSlack is how far the time of a captured event or a change may be ahead of the daemon's clock.
	clockSlack = 5 * time.Minute
	// farAhead is how far the time of a sighting or a decision of another machine may be ahead: its clock may be ahead, and it
	// dates a decision after those that it knew. Only sightings and decisions are ordered by this time.
	farAhead = 48 * time.Hour
)

// received returns a cleaned event whose times are at most latest. An event dated ahead would be first in
// each start, and would correct later statements. All later times are set to this limit. Events of a session may then
// have equal times, but keep their order. Old events are valid: they waited, or come from a transcript.
func received(e memory.Event, latest time.Time) memory.Event {
	latest = latest.UTC()
	e.At = atMost(e.At, latest)
	if e.Import == nil {
		return e
	}
	imported := *e.Import // a copy, made by cleanEvent, that may be changed
	if imported.Fate != nil && imported.Memory != nil {
		imported.Fate.Seen = atMost(imported.Memory.LastSeenAt, latest.Add(farAhead))
	}
	for _, row := range []any{imported.Memory, imported.Session, imported.Prompt, imported.Event} {
		if v := reflect.ValueOf(row); !v.IsNil() {
			clamp(v.Elem(), latest)
		}
	}
	if s := imported.Sighting; s != nil {
		s.At = atMost(s.At, latest.Add(farAhead))
	}
	return e
}

// receivedAll returns the events, cleaned, as received now.
func (in *Intake) receivedAll(events []memory.Event) []memory.Event {
	latest := in.Now().Add(clockSlack)
	return memory.Each(events, func(e memory.Event) memory.Event { return received(in.cleanEvent(e), latest) })
}

func atMost(t, latest time.Time) time.Time {
	if t.After(latest) {
		return latest
	}
	return t
}

var timeType = reflect.TypeFor[time.Time]()

// clamp limits the times among the fields of a row.
func clamp(row reflect.Value, latest time.Time) {
	for i := range row.NumField() {
		if field := row.Field(i); field.Type() == timeType {
			field.Set(reflect.ValueOf(atMost(field.Interface().(time.Time), latest)))
		}
	}
}
