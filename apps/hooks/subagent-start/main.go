// Command subagent-start serves Claude Code's hook event; pkg/hooks/subagentstart says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/subagentstart"
)

func main() { hook.Main(subagentstart.Hook) }
