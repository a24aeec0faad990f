package memory

import "time"

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

// The sections that only letters between the user's machines have: what was purged, and the letters that were withdrawn because
// they held something purged.
const (
	SectionPurged    Section = "purged"
	SectionWithdrawn Section = "withdrawn"
)

func Sections() []Section {
	return []Section{SectionProject, SectionSession, SectionPrompt, SectionMemory, SectionSighting, SectionEvent}
}

type ExportQuery struct {
	Section Section `json:"section"`
	Project string  `json:"project,omitempty"` // key of the memories' project; empty: all projects
	After   string  `json:"after,omitempty"`   // the Next of the page before
	Limit   int     `json:"limit"`             // most rows; 0 means ExportLimit
	// Before selects the oldest events before this time, of all projects; it is for events only. There is no next
	// page.
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
