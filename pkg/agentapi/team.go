package agentapi

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

// MethodTeam makes a change of people's rights in a store that several share, if it names one, and reports all rights.
var MethodTeam = Method[memory.TeamChange, memory.Team]{"team"}
