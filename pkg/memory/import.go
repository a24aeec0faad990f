package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Import holds rows of another program. Unlike other events they already have dates, a status and a summary. At least one field
// is set. Empty fields get the defaults of the row's kind.
type Import struct {
	// Memory keeps its id if one is set: a promoted memory has an id that is not the hash of its present scope and content.
	Memory *Memory `json:"memory,omitempty"`
	// Fate is what the user's own export adds about Memory, such as the decisions about it; else nil.
	Fate *Fate `json:"fate,omitempty"`
	// Sighting records that Memory, or the memory that the sighting names, was seen in the event's session.
	Sighting *Sighting `json:"sighting,omitempty"`
	// Session keeps its imported summary until something new happens in the session.
	Session *Session `json:"session,omitempty"`
	// Prompt is stored as a prompt only: no memories are extracted from it.
	Prompt *Prompt       `json:"prompt,omitempty"`
	Event  *SessionEvent `json:"event,omitempty"`
}

// importPrefix begins the ids of imported events, and no others.
const importPrefix = "import-"

// NewImportID derives the id of an imported event from its name in the source, so that a second import changes nothing.
func NewImportID(source string, parts ...string) string {
	return importPrefix + digest(append([]string{source}, parts...)...)
}

func IsImportID(id string) bool { return strings.HasPrefix(id, importPrefix) }

func (i *Import) validate(event string) error {
	if i == nil || i.Memory == nil && i.Sighting == nil && i.Session == nil && i.Prompt == nil && i.Event == nil {
		return fmt.Errorf("event %s imports nothing: %w", event, ErrInvalid)
	}
	if i.Memory != nil {
		if err := i.Memory.validateImport(); err != nil {
			return fmt.Errorf("event %s: %w", event, err)
		}
	}
	isBad := func(id string) bool { return id == "" || len(id) > maxImportedID }
	if s := i.Sighting; s != nil && (isBad(s.ID) || s.At.IsZero() || i.Memory == nil && isBad(s.Memory)) {
		return fmt.Errorf("event %.40s: the sighting has no valid id, no time or no memory: %w", event, ErrInvalid)
	}
	if s := i.Session; s != nil && (isBad(s.ID) || s.StartedAt.IsZero() || s.LastEventAt.IsZero() || !s.State.known()) {
		return fmt.Errorf("event %.40s: session %.40q has no valid id, no time or an unknown state %q: %w", event, s.ID, s.State, ErrInvalid)
	}
	if s := i.Session; s != nil && s.Summary.Digest.Source != "" && !s.Summary.Digest.Source.IsKnown() {
		return fmt.Errorf("event %s: the source %q of the digest of session %q is unknown: %w", event,
			s.Summary.Digest.Source, s.ID, ErrInvalid)
	}
	if p := i.Prompt; p != nil && (isBad(p.ID) || p.At.IsZero() || strings.TrimSpace(p.Text) == "") {
		return fmt.Errorf("event %.40s: the prompt has no valid id, no time or no text: %w", event, ErrInvalid)
	}
	if e := i.Event; e != nil && (isBad(e.ID) || e.At.IsZero() || e.Kind == "") {
		return fmt.Errorf("event %.40s: the event of the session has no valid id, no time or no kind: %w", event, ErrInvalid)
	}
	return nil
}

// maxImportedID is longer than the session ids of all clients, in bytes.
const maxImportedID = 256

func (m *Memory) validateImport() error {
	switch {
	case Normalise(m.Content) == "":
		return fmt.Errorf("a %s without content: %w", m.Kind, ErrInvalid)
	case m.ID != "" && (len(m.ID) != fullID || !IsIDPrefix(m.ID)):
		return fmt.Errorf("%.40q is not a memory's id: %w", m.ID, ErrInvalid)
	case len(m.Content) > MaxContent+len(ellipsis):
		return fmt.Errorf("a %s of %d bytes, the most is %d: %w", m.Kind, len(m.Content), MaxContent, ErrInvalid)
	case !IsImportance(m.Importance):
		return fmt.Errorf("importance %g is not from 0 to 1: %w", m.Importance, ErrInvalid)
	case m.LastSeenAt.IsZero():
		return fmt.Errorf("a %s without a date: %w", m.Kind, ErrInvalid)
	case !m.Kind.known():
		return fmt.Errorf("kind %q is unknown: %w", m.Kind, ErrInvalid)
	case !slices.Contains([]Type{"", TypeEpisodic, TypeSemantic, TypeProcedural}, m.Type):
		return fmt.Errorf("type %q is unknown: %w", m.Type, ErrInvalid)
	case !slices.Contains([]Status{"", StatusActive, StatusConsolidated, StatusArchived}, m.Status):
		return fmt.Errorf("status %q cannot be imported: %w", m.Status, ErrInvalid)
	case m.Source != "" && !m.Source.IsKnown():
		return fmt.Errorf("source %q is unknown: %w", m.Source, ErrInvalid)
	}
	return nil
}

func (k Kind) known() bool { return slices.Contains(Kinds(), k) }

func (s SessionState) known() bool { return s == SessionActive || s.IsOver() }

type Section string

// The sections, in the order of an export.
const (
	SectionProject  Section = "project"
	SectionSession  Section = "session"
	SectionPrompt   Section = "prompt"
	SectionMemory   Section = "memory"
	SectionSighting Section = "sighting"
	SectionEvent    Section = "event"
)

// SectionPurged is the section that only letters between the user's machines have: what was purged.
const SectionPurged Section = "purged"

func Sections() []Section {
	return []Section{SectionProject, SectionSession, SectionPrompt, SectionMemory, SectionSighting, SectionEvent}
}

type ExportQuery struct {
	Section Section `json:"section"`
	Project string  `json:"project,omitempty"` // key of the memories' project; empty: all projects
	After   string  `json:"after,omitempty"`   // the Next of the page before
	Limit   int     `json:"limit"`             // most rows; 0 means ExportLimit
	// Before selects the oldest events before this time, of all projects; it is for events only. There is no next page.
	Before time.Time `json:"-"`
}

// ExportLimit is the default number of rows in a page.
const ExportLimit = 500

// ExportPage holds the rows of the requested section.
type ExportPage struct {
	Projects  []Project  `json:"projects,omitempty"`
	Sessions  []Session  `json:"sessions,omitempty"` // sessions without their prompt counts
	Prompts   []Prompt   `json:"prompts,omitempty"`  // prompts without their Number
	Memories  []Memory   `json:"memories,omitempty"`
	Sightings []Sighting `json:"sightings,omitempty"`
	Events    []EventRow `json:"events,omitempty"`
	// Fates maps the ids of memories in Memories to their fates.
	Fates map[string]Fate `json:"fates,omitempty"`
	// Next is the After of the next page; empty if this is the last.
	Next string `json:"next,omitempty"`
}
