// Command session-start serves Claude Code's hook event; pkg/hooks/sessionstart says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/sessionstart"
)

func main() { hook.Main(sessionstart.Hook) }
