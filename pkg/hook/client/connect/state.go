package connect

import "fmt"

// State is how it stands with Codex.
type State struct {
	Installed bool `json:"installed"` // its program is on the PATH, or it has left a configuration
	Connected bool `json:"connected"` // all that we add is there
	Partly    bool `json:"partly,omitempty"`
	// Problems keep it from working where it is connected, each a sentence; Remedy mends the last one.
	Problems []string `json:"problems,omitempty"`
	Remedy   string   `json:"remedy,omitempty"`
}

const remedy = "memory setup codex on"

func (s *State) problem(format string, args ...any) {
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}
