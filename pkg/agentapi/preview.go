package agentapi

// MethodPreview returns line by line the text that a session would get if it started now,
// and the memories that it would just miss.
var MethodPreview = Method[PreviewParams, PreviewResult]{"preview"}

// PreviewParams names the project.
type PreviewParams struct {
	Project     string `json:"project"`
	TokenBudget int    `json:"token_budget"` // tokens of everything, wrapper included
}

// ResolveProject implements ProjectNamer.
func (p *PreviewParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// PreviewResult is the text with the lines that were offered for it.
type PreviewResult struct {
	Text     string `json:"text"`
	Tokens   int    `json:"tokens"` // of the text, exact by the named encoding
	Encoding string `json:"encoding"`
	Budget   int    `json:"budget"` // the most tokens of the text
	// Lines are all that were offered, by section, the best first.
	Lines []PreviewLine `json:"lines"`
}

// PreviewLine is a line that was offered.
type PreviewLine struct {
	ID      string `json:"id"`                // of the memory or the session
	Session bool   `json:"session,omitempty"` // it is the summary of a session
	Section string `json:"section"`
	Line    string `json:"line"`
	Tokens  int    `json:"tokens"`
	Told    bool   `json:"told"` // it is in the text
	Why     string `json:"why"`  // why it is there, or is not
}
