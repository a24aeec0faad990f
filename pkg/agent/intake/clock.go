package intake

import (
	"reflect"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// clockSlack is how far ahead of the agent's clock a time may be that comes from outside.
const clockSlack = 5 * time.Minute

// received is an event, cleaned, with no time later than clockSlack after it was received:
// an event dated ahead would head each start, and correct later statements. Later times
// become that one instant, so that the events of a session keep their order. An event may
// be old: it may have waited, or come from a transcript.
func received(e memory.Event, at time.Time) memory.Event {
	latest := at.UTC()
	e.At = atMost(e.At, latest)
	if e.Import == nil {
		return e
	}
	imported := *e.Import // cleaned, so its target is the event's own
	for _, row := range []any{imported.Memory, imported.Sighting, imported.Session, imported.Prompt} {
		if v := reflect.ValueOf(row); !v.IsNil() {
			clamp(v.Elem(), latest)
		}
	}
	return e
}

// receivedAll are events, cleaned, that are received now.
func (in *Intake) receivedAll(events []memory.Event) []memory.Event {
	now := in.Now()
	for i, e := range events {
		events[i] = received(e, now)
	}
	return events
}

func atMost(t, latest time.Time) time.Time {
	if latest = latest.Add(clockSlack); t.After(latest) {
		return latest
	}
	return t
}

var timeType = reflect.TypeFor[time.Time]()

// clamp changes the times of a row, and of the structs in it.
func clamp(row reflect.Value, latest time.Time) {
	for i := range row.NumField() {
		switch field := row.Field(i); {
		case !field.CanSet():
		case field.Type() == timeType:
			field.Set(reflect.ValueOf(atMost(field.Interface().(time.Time), latest)))
		case field.Kind() == reflect.Struct:
			clamp(field, latest)
		}
	}
}
