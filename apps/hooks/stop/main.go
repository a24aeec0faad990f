// Command stop serves Claude Code's hook event; pkg/hooks/stop says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/stop"
)

func main() { hook.Main(stop.Hook) }
