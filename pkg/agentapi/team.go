package agentapi

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

// MethodTeam makes a change of who may what in a store that several share, if it names one, and says how that stands.
var MethodTeam = Method[memory.TeamChange, memory.Team]{"team"}
