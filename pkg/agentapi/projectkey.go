package agentapi

// A parameter that names a project gets the key of the project that is meant: a
// merged project goes by the one it is part of. The agent replaces it before the
// handler sees it.

// ProjectNamer is implemented by pointers to the parameters that name a project.
type ProjectNamer interface {
	// ResolveProject replaces the key by resolve's result.
	ResolveProject(resolve func(key string) string)
}

// ResolveProject implements ProjectNamer.
func (p *SessionContextParams) ResolveProject(resolve func(string) string) {
	p.Project = resolve(p.Project)
}

// ResolveProject implements ProjectNamer.
func (p *RecallParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ResolveProject implements ProjectNamer.
func (p *ShouldAskParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ResolveProject implements ProjectNamer.
func (p *FindParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ResolveProject implements ProjectNamer.
func (p *GetParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ResolveProject implements ProjectNamer.
func (p *AroundParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ResolveProject implements ProjectNamer.
func (p *AmendParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ResolveProject implements ProjectNamer.
func (p *ExplainParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ResolveProject implements ProjectNamer.
func (p *VerifyParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ResolveProject implements ProjectNamer.
func (p *HistoryParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// ResolveProject implements ProjectNamer.
func (p *SessionsParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }
