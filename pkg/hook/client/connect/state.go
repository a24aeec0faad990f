package connect

import "fmt"

// State is the state of our entries in Codex's configuration.
type State struct {
	Installed bool `json:"installed"` // Codex is on the PATH, or its configuration directory exists
	Connected bool `json:"connected"` // all our entries are there
	Partly    bool `json:"partly,omitempty"`
	// Problems are sentences, each a reason why it does not work. Remedy solves the last problem.
	Problems []string `json:"problems,omitempty"`
	Remedy   string   `json:"remedy,omitempty"`
}

const remedy = "memory setup codex on"

func (s *State) problem(format string, args ...any) {
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}
