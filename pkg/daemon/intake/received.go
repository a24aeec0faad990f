package intake

import (
	"errors"
	"reflect"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// Hooks redact by fast rules. Their events are scanned once more here, before anything is
// stored, journaled, indexed or logged.

// clean returns a text without secrets.
func (in *Intake) clean(text string) string {
	if text == "" || in.Clean == nil {
		return text
	}
	return in.Clean(text)
}

// batchOf returns the rows of events, without what was purged.
func (in *Intake) batchOf(events []memory.Event) memory.Batch {
	batch := ingest.Batch(events, in.Counter)
	if in.keepsOnlyAsked() {
		batch = ingest.OnlyAsked(batch, events, in.Counter)
	}
	if in.Purged != nil {
		in.Purged().Leave(&batch)
	}
	return batch
}

// keepsOnlyAsked reports whether the user keeps only what they ask for.
func (in *Intake) keepsOnlyAsked() bool { return in.OnlyAsked != nil && in.OnlyAsked() }

func (in *Intake) cleanError(err error) error {
	if text := err.Error(); in.clean(text) != text {
		return errors.New(in.clean(text))
	}
	return err
}

// CleanEvent returns an event with its texts cleaned.
func CleanEvent(e memory.Event, clean func(string) string) memory.Event { return cleanEvent(e, clean) }

// cleanEvent returns the event with all its texts cleaned, whoever made it: a hook, a model through
// MCP (which may have made a secret whole again), a person in a terminal, an import. Names of
// tools, files, projects and sessions are cleaned, too: hooks ask for projects and sessions by keys
// that were redacted by the same rules.
func cleanEvent(e memory.Event, clean func(string) string) memory.Event {
	if e.Kind != memory.EventImported {
		e.Import = nil // nobody reads it
	}
	if e.Kind != memory.EventDistilled {
		e.Distilled = nil // likewise
	}
	e = cleaned(e, clean)
	if e.Import != nil && e.Import.Session != nil {
		if digest := &e.Import.Session.Summary.Digest; !digest.Source.Known() {
			digest.Source = ""
		}
	}
	return e
}

// CleanRecord returns a record of the journal with its texts cleaned.
func CleanRecord(r journal.Record, clean func(string) string) journal.Record {
	return cleaned(r, clean)
}

// cleaned returns a copy of a value, with each text in it cleaned, however deep it lies.
func cleaned[T any](value T, clean func(string) string) T {
	cleanIn(reflect.ValueOf(&value).Elem(), clean)
	return value
}

// cleanIn cleans the texts of a value. Parts shared with other values are copied first.
func cleanIn(v reflect.Value, clean func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); text != "" {
			v.SetString(clean(text))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			cleanIn(own.Elem(), clean)
			v.Set(own)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(own, v)
			for i := range own.Len() {
				cleanIn(own.Index(i), clean)
			}
			v.Set(own)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() && v.Type() != timeType {
				cleanIn(field, clean)
			}
		}
	case reflect.Interface:
		cleanRow(v, clean)
	default: // has no text
	}
}

// cleanRow cleans the row that an interface holds.
func cleanRow(v reflect.Value, clean func(string) string) {
	if v.IsNil() {
		return
	}
	own := reflect.New(v.Elem().Type()).Elem()
	own.Set(v.Elem())
	cleanIn(own, clean)
	v.Set(own)
}

// clockSlack is how far ahead of the daemon's clock a time may be that comes from outside.
const clockSlack = 5 * time.Minute

// received returns a cleaned event with its times limited to clockSlack after at: an event dated
// ahead would head each start, and correct later statements. Later times become that one instant,
// so that the events of a session keep their order. An event may be old: it may have waited, or
// come from a transcript.
func received(e memory.Event, at time.Time) memory.Event {
	latest := at.UTC()
	e.At = atMost(e.At, latest)
	if e.Import == nil {
		return e
	}
	imported := *e.Import // cleaned, so its target is the event's own
	for _, row := range []any{imported.Memory, imported.Sighting, imported.Session, imported.Prompt, imported.Event} {
		if v := reflect.ValueOf(row); !v.IsNil() {
			clamp(v.Elem(), latest)
		}
	}
	return e
}

// receivedAll returns the events cleaned, with now as the time at which they are received.
func (in *Intake) receivedAll(events []memory.Event) []memory.Event {
	now := in.Now()
	all := make([]memory.Event, len(events))
	for i, e := range events {
		all[i] = received(cleanEvent(e, in.clean), now)
	}
	return all
}

func atMost(t, latest time.Time) time.Time {
	if latest = latest.Add(clockSlack); t.After(latest) {
		return latest
	}
	return t
}

var timeType = reflect.TypeFor[time.Time]()

// clamp limits the times of a row; none of its parts has times of its own.
func clamp(row reflect.Value, latest time.Time) {
	for i := range row.NumField() {
		if field := row.Field(i); field.Type() == timeType {
			field.Set(reflect.ValueOf(atMost(field.Interface().(time.Time), latest)))
		}
	}
}
