package journal

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Record is one thing that the store has committed. Exactly one of its pointers
// is set.
type Record struct {
	At time.Time // when it was journaled; Append sets it

	Event   *memory.Event
	Amended *Amended
	Renamed *Renamed
	Merged  *Merged
	Purged  *Purged
}

// Amended is a change of one memory by hand, with the memory as it was before: memories
// made by maintenance can be changed, too, and are in no event.
type Amended struct {
	Change memory.Change `json:"change"`
	Before memory.Memory `json:"before"`
}

// Renamed is a project's new name.
type Renamed struct {
	Project string `json:"project"`
	Name    string `json:"name"`
}

// Merged is a project that became part of another.
type Merged struct {
	From string `json:"from"`
	Into string `json:"into"`
}

// Purged is a project, or everything if it is empty, that was deleted for good.
type Purged struct {
	Project string `json:"project"`
}

// line is a record as it is written. Sum is the CRC-32 (IEEE) of the body's bytes, so
// that a damaged line is detected.
type line struct {
	At   time.Time       `json:"at"`
	Kind string          `json:"kind"`
	Sum  uint32          `json:"sum"`
	Body json.RawMessage `json:"body"`
}

// The kinds of line.
const (
	kindEvent   = "event"
	kindAmended = "amended"
	kindRenamed = "renamed"
	kindMerged  = "merged"
	kindPurged  = "purged"
)

func encode(r Record) ([]byte, error) {
	var kind string
	var body any
	switch {
	case r.Event != nil:
		kind, body = kindEvent, r.Event
	case r.Amended != nil:
		kind, body = kindAmended, r.Amended
	case r.Renamed != nil:
		kind, body = kindRenamed, r.Renamed
	case r.Merged != nil:
		kind, body = kindMerged, r.Merged
	case r.Purged != nil:
		kind, body = kindPurged, r.Purged
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode a record of the kind %q: %w", kind, err)
	}
	text, err := json.Marshal(line{At: r.At, Kind: kind, Sum: crc32.ChecksumIEEE(raw), Body: raw})
	if err != nil {
		return nil, fmt.Errorf("encode a record of the kind %q: %w", kind, err)
	}
	return append(text, '\n'), nil
}

func decode(text []byte) (Record, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Record{}, err
	}
	if sum := crc32.ChecksumIEEE(l.Body); sum != l.Sum {
		return Record{}, fmt.Errorf("its checksum is %08x, written was %08x", sum, l.Sum)
	}
	r := Record{At: l.At}
	var body any
	switch l.Kind {
	case kindEvent:
		r.Event = &memory.Event{}
		body = r.Event
	case kindAmended:
		r.Amended = &Amended{}
		body = r.Amended
	case kindRenamed:
		r.Renamed = &Renamed{}
		body = r.Renamed
	case kindMerged:
		r.Merged = &Merged{}
		body = r.Merged
	case kindPurged:
		r.Purged = &Purged{}
		body = r.Purged
	default:
		return Record{}, fmt.Errorf("its kind %q is not known to this version", l.Kind)
	}
	return r, json.Unmarshal(l.Body, body)
}
