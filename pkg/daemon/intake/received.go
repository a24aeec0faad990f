package intake

import (
	"errors"
	"reflect"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hooks redact with fast rules. Here their events are scanned again with all rules, before anything is stored, journaled, indexed or logged.

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

// cleaned returns a row, a change or an event without purged words and secrets. It does not trust the sender: even a model may have reassembled a secret. Names
// of tools, files, projects and sessions are redacted, too; hooks redact the keys of projects and sessions by the same rules before they ask for them.
func cleaned[T any](in *Intake, value T) T {
	return memory.Cleaned(memory.CleanedTexts(value, in.Purged().Clean), in.Clean)
}

// cleanEvent cleans an event, and drops the fields that its kind does not use.
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
	// farAhead is how far the time of a memory, a sighting or a decision of another machine may be ahead. That machine's clock may be fast, and
	// each machine dates what is said or decided there after all that it knows. Dated back, the row would stand below what was said before it.
	// The times of other rows are cut to clockSlack.
	farAhead = 48 * time.Hour
)

// received returns a cleaned event, with each later time set to latest, or to farAhead after it where that is allowed. An event dated ahead would be
// first in each start, and would correct later statements. Events of a session whose times become equal keep their order. Old times are
// valid: the event waited, or comes from a transcript.
func received(e memory.Event, latest time.Time) memory.Event {
	latest = latest.UTC()
	e.At = atMost(e.At, latest)
	if e.Import == nil {
		return e
	}
	imported, far := *e.Import, latest.Add(farAhead) // a copy, made by cleanEvent, that may be changed
	if m := imported.Memory; m != nil && imported.Fate != nil {
		clamp(reflect.ValueOf(m).Elem(), far)
		imported.Fate.Seen = m.LastSeenAt
	} else if m != nil {
		clamp(reflect.ValueOf(m).Elem(), latest)
	}
	for _, row := range []any{imported.Session, imported.Prompt, imported.Event} {
		if v := reflect.ValueOf(row); !v.IsNil() {
			clamp(v.Elem(), latest)
		}
	}
	if s := imported.Sighting; s != nil {
		s.At = atMost(s.At, far)
	}
	return e
}

// receivedAll returns the events cleaned, with times that are at most clockSlack ahead of now.
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
