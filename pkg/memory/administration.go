package memory

import (
	"time"
)

// Holding counts the rows of a project.
type Holding struct {
	Memories int `json:"memories"`
	Sessions int `json:"sessions"`
	Prompts  int `json:"prompts"`
}

type ProjectHolding struct {
	Project
	// MergedInto is the key of the project that this one was merged into.
	MergedInto string  `json:"merged_into,omitempty"`
	Holding    Holding `json:"holding" column:"-"`
	// CountedAt is the time of the count; zero if it was not ready in time.
	CountedAt time.Time `json:"counted_at,omitzero" column:"-"`
}

// MergedInto returns the keys of those projects that were merged into the project key.
func MergedInto(key string, projects []ProjectHolding) []string {
	return EachIf(projects, func(one ProjectHolding) (string, bool) { return one.Key, one.MergedInto == key })
}

type History struct {
	Seen     []Sighting     `json:"seen"`
	Injected []Injection    `json:"injected"`
	Changes  []ChangeRecord `json:"changes"`
}

type ChangeRecord struct {
	Run    string    `json:"run" column:"run_id"`
	Job    string    `json:"job"`
	By     string    `json:"by"` // the run's trigger
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}
