package intake

import (
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// occurrence has the fields that are equal, or nearly so, if both a hook and an import have brought the same prompt, sighting or event.
type occurrence struct {
	session, id, what string
	at                time.Time
}

func ofPrompt(p memory.Prompt) occurrence {
	return occurrence{p.Session, p.ID, "prompt " + memory.OneLine(p.Text), p.At}
}

func ofEvent(e memory.SessionEvent) occurrence {
	return occurrence{e.Session, e.ID, string(e.Kind) + " " + memory.OneLine(e.Text), e.At}
}

// occurrences returns what is stored of a session.
func occurrences(of memory.SessionRecord) []occurrence {
	ofSeen := func(one memory.Seen) occurrence { return occurrence{of.Session.ID, one.ID, one.Memory.ID, one.At} }
	return slices.Concat(memory.Each(of.Prompts, ofPrompt), memory.Each(of.Seen, ofSeen), memory.Each(of.SessionEvents, ofEvent))
}

// drop drops the prompts, sightings and events of a session for which isStored returns true.
func drop(batch *memory.Batch, session string, isStored func(occurrence) bool) {
	is := func(o occurrence) bool { return o.session == session && isStored(o) }
	batch.Prompts = slices.DeleteFunc(batch.Prompts, func(p memory.Prompt) bool { return is(ofPrompt(p)) })
	batch.Sightings = slices.DeleteFunc(batch.Sightings, func(s memory.Sighting) bool { return is(occurrence{s.Session, s.ID, s.Memory, s.At}) })
	batch.SessionEvents = slices.DeleteFunc(batch.SessionEvents, func(e memory.SessionEvent) bool { return is(ofEvent(e)) })
}

// sameTime is the limit of the difference between the times that a hook and the client's transcript give one event.
const sameTime = time.Minute

// leaveOutOtherWay drops from a batch of hooks what an import has stored of the session already, and from a batch of
// an import what hooks have stored of it. The two have different ids, but the same words at about the same time.
func leaveOutOtherWay(batch *memory.Batch, session string, stored []occurrence) {
	said := map[string][]occurrence{}
	for _, o := range stored {
		said[o.what] = append(said[o.what], o)
	}
	drop(batch, session, func(o occurrence) bool {
		return slices.ContainsFunc(said[o.what], func(one occurrence) bool {
			return memory.IsImportID(one.id) != memory.IsImportID(o.id) && one.at.Sub(o.at).Abs() < sameTime
		})
	})
}
