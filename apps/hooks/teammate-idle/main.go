// Command teammate-idle serves Claude Code's hook event; pkg/hooks/teammateidle says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/teammateidle"
)

func main() { hook.Main(teammateidle.Hook) }
