package journal

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Record is one commit of the store. Exactly one of its pointers is set.
type Record struct {
	At time.Time // when it was journaled; Append sets it

	Event     *memory.Event
	Weighed   *Weighed
	Concluded *Concluded
	Amended   *Amended
	Ran       *Ran
	Wrote     *Wrote
	Renamed   *Renamed
	Merged    *Merged
	Purged    *Purged
}

// Weighed is the importance of new memories, by id, where people's verdicts on a rule have
// changed it. It stands before the events that the memories were made of.
type Weighed struct {
	Importance map[string]float64 `json:"importance"`
}

// Concluded names the sessions of which something was derived then, from all that was
// known of each.
type Concluded struct {
	Sessions []string `json:"sessions"`
}

// Amended is a change of one memory by hand, with the memory as it was before: that may be
// older than the journal.
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

// Wrote holds whole rows that follow from no event. Only one of its fields is set.
type Wrote struct {
	Batch *memory.Batch `json:"batch,omitempty"`
	// Distillation is a session that moved on in the queue of distillation.
	Distillation *memory.Distillation `json:"distillation,omitempty"`
}

// line is a record as it is written. Sum is the CRC-32 (IEEE) of the body's bytes, so
// that a damaged line is detected.
type line struct {
	At   time.Time       `json:"at"`
	Kind string          `json:"kind"`
	Sum  uint32          `json:"sum"`
	Body json.RawMessage `json:"body"`
}

// body is one of a record's pointers, with the kind of the lines that hold it.
type body struct {
	kind  string
	isSet bool
	value func() any // its target, made if there is none
}

func bodyOf[T any](kind string, field **T) body {
	return body{kind, *field != nil, func() any {
		if *field == nil {
			*field = new(T)
		}
		return *field
	}}
}

// bodies are all pointers of a record.
func (r *Record) bodies() []body {
	return []body{
		bodyOf("event", &r.Event), bodyOf("weighed", &r.Weighed), bodyOf("concluded", &r.Concluded), bodyOf("amended", &r.Amended),
		bodyOf("ran", &r.Ran), bodyOf("wrote", &r.Wrote), bodyOf("renamed", &r.Renamed), bodyOf("merged", &r.Merged), bodyOf("purged", &r.Purged),
	}
}

// isEmpty says whether nothing is left of a record.
func (r *Record) isEmpty() bool {
	for _, b := range r.bodies() {
		if b.isSet {
			return false
		}
	}
	return true
}

func encode(r Record) ([]byte, error) {
	for _, b := range r.bodies() {
		if !b.isSet {
			continue
		}
		raw, err := json.Marshal(b.value())
		if err != nil {
			return nil, fmt.Errorf("encode a record of the kind %q: %w", b.kind, err)
		}
		text, err := json.Marshal(line{At: r.At, Kind: b.kind, Sum: crc32.ChecksumIEEE(raw), Body: raw})
		if err != nil {
			return nil, fmt.Errorf("encode a record of the kind %q: %w", b.kind, err)
		}
		return append(text, '\n'), nil
	}
	return nil, fmt.Errorf("encode an empty record: %w", memory.ErrInvalid)
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
	for _, b := range r.bodies() {
		if b.kind == l.Kind {
			err := json.Unmarshal(l.Body, b.value())
			return r, err
		}
	}
	return Record{}, fmt.Errorf("its kind %q is not known to this version", l.Kind)
}
