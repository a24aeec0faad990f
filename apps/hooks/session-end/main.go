// Command session-end serves Claude Code's hook event; pkg/hooks/sessionend says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/sessionend"
)

func main() { hook.Main(sessionend.Hook) }
